"""Facts that changed, several right answers at once, and scores that do not share."""

from __future__ import annotations

import statistics
from collections import defaultdict
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from pet.i18n import LANGUAGES, Language, Texts
from pet.language.tokens import tokenize
from pet.memory.search.memory_index import open_index
from pet.memory.search.recall_selection import snippet
from pet.model import UsedMemory
from pet.prompt.context import recall_context
from tests.memory.gated import recalled
from tests.memory.search.recall_set.wide import FITTED, LATER, Kind, rates, write_wide

LEAST: dict[Kind, float] = {"plain": 1.0, "changed": 0.85, "touches": 0.8, "several": 0.85, "preference": 1.0}
OTHER_NOTES = 20
TODAY = date(2026, 2, 1)


def write_logs(workspace: Path, notes: dict[str, str]) -> None:
    (workspace / "memory").mkdir(parents=True)
    for day, text in notes.items():
        (workspace / "memory" / f"{day}.md").write_text(
            f"# Memory Log: {day}\n\n## [10:30:00] fact\n\n{text}\n", encoding="utf-8"
        )


@pytest.mark.parametrize("owners", [FITTED[1:], LATER[1:]])
def test_the_newest_goes_along_first(tmp_path: Path, owners: tuple[str, ...]) -> None:
    every: dict[Kind, list[float]] = defaultdict(list)
    for owner in owners:
        write_wide(tmp_path / owner, owner, OTHER_NOTES)
        with closing(open_index(tmp_path / owner, tmp_path / "cache")) as index:
            index.refresh()
            for kind, shares in rates(index, owner).items():
                every[kind] += shares
    reached = {kind: statistics.fmean(shares) for kind, shares in every.items()}
    assert all(reached[kind] >= least for kind, least in LEAST.items()), reached


@pytest.mark.parametrize(
    "message",
    [
        "Give me a tour of Markdown, please",
        "A tour of Markdown in one message, with all the formats",
        "给我看看 Markdown 都能做什么",
        "Hazme un recorrido por Markdown",
        "That's nice, thanks",
    ],
)
def test_a_task_that_concerns_nobody_recalls_nothing(tmp_path: Path, message: str) -> None:
    others = {f"2026-01-{day:02}": f"Owner: Lunch with Ben, soup number {day}" for day in range(2, 12)}
    write_logs(
        tmp_path / "pet", {"2025-05-05": "Owner: Plays the cello in a quartet", "2025-05-06": "Pet: Nice!", **others}
    )
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        assert recalled(index, message, TODAY) == []  # before vectors exist
        index.refresh()
        assert recalled(index, message, TODAY) == []
        assert (
            recalled(index, "Which instrument do I play?", TODAY)[0].snippet == "Owner: Plays the cello in a quartet"
        )


def test_an_older_fact_is_marked_and_a_question_for_the_past_keeps_its_answer(tmp_path: Path) -> None:
    notes = {
        "2024-05-01": "Owner: My dentist is Dr. Okafor on the high street",
        "2025-11-02": "Owner: Dr. Lindqvist is my new dentist, Okafor retired",
        "2025-12-12": "Owner: The bus was late again",
    }
    write_logs(tmp_path / "pet", notes)
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        now = recalled(index, "Who is my dentist?", TODAY)
        past = index.search("Who was my dentist before?", 5, TODAY)
    assert ["Lindqvist" in hit.snippet for hit in now][:2] == [True, False]
    assert [hit.superseded for hit in now][:2] == [False, True]
    assert not any(hit.superseded for hit in past)


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        (
            "Owner: I work at Brandt Logistics in the customs department",
            "Owner: I've started at Meridian Freight, customs desk, better hours",
            "Where do I work now?",
        ),
        ("Owner: I work at the bakery", "Owner: I work at the library", "Where do I work now?"),
        ("主人：我在蓝海广告做文案", "主人：跳槽到了星图科技，做产品经理", "我现在在哪里上班？"),
        ("Owner: Trabajo en la panadería Rosales", "Owner: Trabajo en la fábrica Valdeón", "¿Dónde trabajo ahora?"),
    ],
)
def test_a_question_for_what_holds_now_gets_one_answer(tmp_path: Path, older: str, newer: str, question: str) -> None:
    others = {f"2025-10-{day:02}": f"Owner: Lunch with Ben, soup number {day}" for day in range(2, 12)}
    write_logs(tmp_path / "pet", {"2024-03-02": older, "2025-12-10": newer, **others})
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        recalled_now = [hit.snippet for hit in recalled(index, question, TODAY)]
        searched = [hit.snippet for hit in index.search(question, 3, TODAY)]
    assert recalled_now[0] == searched[0] == newer
    assert older not in recalled_now + searched


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_superseded_entry_is_sent_as_earlier(language: Language) -> None:
    texts = Texts(language)
    used = UsedMemory(
        path="memory/2024-05-01.md",
        start_line=5,
        end_line=5,
        source="log",
        snippet="I live in Gijón",
        superseded=True,
    )
    assert f"2024-05-01 {texts('prompt.context.earlier')} I live in Gijón" in recall_context([used], texts).text


def test_two_right_days_are_each_as_likely_as_alone(tmp_path: Path) -> None:
    api = {
        "2026-01-20": "## API Discussion\nMet with the team to discuss API architecture.\n"
        "We chose REST over GraphQL for simplicity and better caching.",
        "2026-01-26": "## API Discussion\nDecided that the API gets /users and /auth endpoints.",
    }
    noise = {f"2026-01-{day:02}": f"Owner: Lunch with Ben, soup number {day}" for day in range(2, 12)}
    for name, notes in (("both", api | noise), ("alone", {"2026-01-20": api["2026-01-20"]} | noise)):
        write_logs(tmp_path / name, notes)
    scores = {}
    for name in ("both", "alone"):
        with closing(open_index(tmp_path / name, tmp_path / "cache")) as index:
            index.refresh()
            hits = index.search("What did we decide about the API?", 6, TODAY, min_score=0.35)
            scores[name] = {hit.path: hit.score for hit in hits}
    assert {"memory/2026-01-20.md", "memory/2026-01-26.md"} <= scores["both"].keys()
    assert scores["both"]["memory/2026-01-20.md"] >= 0.9 * scores["alone"]["memory/2026-01-20.md"]


@pytest.mark.parametrize(
    ("question", "category"),
    [
        ("Do you know my preferences?", "preference"),
        ("你知道我的偏好吗?", "preference"),
        ("¿Conoces mis preferencias?", "preference"),
        ("What have we decided?", "decision"),
        ("我认识哪些人？", "person"),
    ],
)
def test_what_was_noted_as_such_is_found_whenever_that_was(tmp_path: Path, question: str, category: str) -> None:
    write_wide(tmp_path / "pet", "wide_en_a", OTHER_NOTES)
    old = tmp_path / "pet" / "memory" / "2019-03-03.md"
    old.write_text(
        f"# Memory Log: 2019-03-03\n\n## [10:30:00] {category}\n\nOwner: Squeaky chalk\n", encoding="utf-8"
    )
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        assert any("Squeaky chalk" in hit.snippet for hit in recalled(index, question, TODAY))
        assert any("Squeaky chalk" in hit.snippet for hit in index.search(question, 20, TODAY))


@pytest.mark.parametrize(
    ("message", "note"),
    [
        ("Biscuit is begging for a corner of my cheddar toast", "Owner: Marcus has a ginger cat called Biscuit"),
        ("二胡怎么了？", "主人：我的二胡送去修了，琴皮裂了"),
        ("主库要切换的时候用哪个脚本？", "主人：主库切换用 failover.sh 这个脚本"),
    ],
)
def test_a_message_that_names_a_thing_of_the_memory_recalls_it(tmp_path: Path, message: str, note: str) -> None:
    owner = "wide_zh_a" if "主人" in note else "wide_en_a"
    write_wide(tmp_path / "pet", owner, OTHER_NOTES)
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        assert note in [hit.snippet for hit in recalled(index, message, TODAY)]


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("I'm allergic to penicillin", "New doctor Ferris asked about penicillin", "What am I allergic to?"),
        ("I owe Marta twenty euros", "Marta started a new job at the library", "What do I owe Marta?"),
        ("Dad likes crosswords and marzipan", "Dad moved to room 22", "What does my father like?"),
        ("我对青霉素过敏", "换了新的家庭医生，问起青霉素", "我对什么药过敏？"),
        ("Le debo veinte euros a Marta", "Marta ha empezado en la biblioteca", "¿Qué le debo a Marta?"),
    ],
)
def test_what_still_holds_is_not_marked_as_earlier(tmp_path: Path, older: str, newer: str, question: str) -> None:
    others = {f"2025-10-{day:02}": f"Owner: Lunch with Ben, soup number {day}" for day in range(2, 12)}
    write_logs(tmp_path / "pet", {"2024-03-02": f"Owner: {older}", "2025-12-10": f"Owner: {newer}", **others})
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        hits = [*recalled(index, question, TODAY), *index.search(question, 5, TODAY)]
    assert [hit.superseded for hit in hits if older in hit.snippet] == [False, False]


def test_a_debt_that_was_paid_is_earlier(tmp_path: Path) -> None:
    others = {f"2025-10-{day:02}": f"Owner: Lunch with Ben, soup number {day}" for day in range(2, 12)}
    notes = {"2024-03-02": "Owner: I owe Marta twenty euros", "2025-12-10": "Owner: Paid Marta the twenty euros"}
    write_logs(tmp_path / "pet", {**notes, **others})
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        hits = index.search("What do I owe Marta?", 2, TODAY)
    assert [("Paid" in hit.snippet, hit.superseded) for hit in hits] == [(True, False), (False, True)]


def test_a_question_for_what_happened_keeps_the_better_answer_first(tmp_path: Path) -> None:
    others = {f"2025-10-{day:02}": f"Owner: Lunch with Ben, soup number {day}" for day in range(2, 12)}
    notes = {
        "2025-11-01": "Irene went to the pottery class in Lund and made a bowl",
        "2025-11-20": "Irene started another pottery class and made nothing",
    }
    write_logs(tmp_path / "pet", {**notes, **others})
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        hits = index.search("What did Irene make at the pottery class in Lund?", 2, TODAY)
    assert "bowl" in hits[0].snippet and not any(hit.superseded for hit in hits)


KEY = (
    "The spare key, which Ben had cut for us at the hardware shop in the high street on Friday because the old one"
    " was bent and stuck in the lock, hangs behind the blue barometer"
)
KEY_ZH = (
    "备用钥匙是阿本上周五在街口那家五金店里帮我们重新配好的，"
    "因为原来那一把弯了、老是卡在锁里，现在挂在蓝色的气压计后面"
)


@pytest.mark.parametrize(
    ("before", "sentence", "after", "question", "answer"),
    [
        ("We went to the lake and swam. ", KEY, ". Then it rained. ", "Where is the spare key?", "barometer"),
        ("我们去湖边散步，然后回家吃饭。", KEY_ZH, "，后来又下起了雨。", "备用钥匙在哪里？", "气压计"),
    ],
)
@pytest.mark.parametrize("long", [10, 12, 14, 17])
def test_a_long_entry_is_cut_after_its_answer(
    tmp_path: Path, before: str, sentence: str, after: str, question: str, answer: str, long: int
) -> None:
    others = {f"2025-10-{day:02}": f"Owner: Lunch with Ben, soup number {day}" for day in range(2, 12)}
    notes = {"2025-12-10": f"Owner: {before * long}{sentence}{after * 40}"}
    write_logs(tmp_path / "pet", {**notes, **others})
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=None)) as index:
        assert answer in index.search(question, 2, TODAY)[0].snippet


def test_a_window_is_chosen_by_its_rarest_word() -> None:
    text = "where is it, is it here, where is my day. " * 12 + "The okapi sleeps beside the third gate. "
    assert "third gate" in snippet(text + "Noise. " * 60, frozenset(tokenize("where is my okapi today")), 240)


def test_a_question_for_one_thing_takes_eight_entries_at_most(tmp_path: Path) -> None:
    dishes = ("soup", "rice", "pie", "fish", "salad", "bread", "stew", "cake", "beans", "eggs", "pasta", "curry")
    write_logs(
        tmp_path / "pet", {f"2025-10-{day:02}": f"Owner: Ben ate {dish}" for day, dish in enumerate(dishes, 2)}
    )
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        one = recalled(index, "Would Ben eat venison?", TODAY)
        several = recalled(index, "Which dishes did Ben eat?", TODAY)
    assert len(one) <= 8 < len(several)
