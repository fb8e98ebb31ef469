"""The owner's full-text search, and exported conversations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.i18n import Texts
from pet.ids import new_id
from pet.model import ContextPart, StopReason, TextPart, ToolCallPart, TurnEnd, Usage
from pet.text.plain_markdown import plain_line
from pet.transcripts.conversation import file_stem
from pet.transcripts.entries import RoundCompleted, TitleSet, TurnFinished, TurnsRemovedSet, UserMessage
from pet.transcripts.export import to_json, to_markdown
from pet.transcripts.fold import fold
from pet.transcripts.search import HistoryHit, search_transcripts
from pet.transcripts.store import Transcript, TranscriptStore
from tests.support.clocks import SteppingClock


@pytest.fixture
def store(tmp_path: Path) -> TranscriptStore:
    return TranscriptStore(tmp_path / "conversations", "here", SteppingClock())


CLOCK = SteppingClock()


def tell(
    transcript: Transcript,
    owner: str,
    pet: str,
    *,
    memory: bool = True,
    supersedes: str | None = None,
    call: str = "",
) -> str:
    turn = new_id()
    at = CLOCK.now().isoformat()
    recalled = (ContextPart(kind="recall", text="recalled: zebra", gated=True),)
    transcript.append(
        UserMessage(id=new_id(), at=at, turn=turn, text=owner, context=recalled, memory=memory, supersedes=supersedes)
    )
    calls = (ToolCallPart(id="c", name="write", arguments=json.dumps({"content": call})),) if call else ()
    transcript.append(
        RoundCompleted(
            id=new_id(),
            at=at,
            turn=turn,
            round=1,
            parts=(TextPart(text=pet), *calls),
            stop=StopReason.END_TURN,
            usage=Usage(),
            model="m",
        )
    )
    transcript.append(TurnFinished(id=new_id(), at=at, turn=turn, end=TurnEnd.DONE, error=None, round=1, cut_text=""))
    return turn


def find(store: TranscriptStore, query: str, limit: int = 20) -> list[HistoryHit]:
    return search_transcripts(store.files(), query, limit)


def shown(hit: HistoryHit) -> str:
    return "".join(piece.text for piece in hit.snippet)


def marked(hit: HistoryHit) -> list[str]:
    return [piece.text for piece in hit.snippet if piece.is_match]


def test_messages_of_both_are_found_with_memory_on_or_off(store: TranscriptStore) -> None:
    one, other = store.create(memory=True), store.create(memory=False)
    first = tell(one, "I planted TOMATOES today", "How nice")
    second = tell(other, "Hello", "Your tomatoes need water", memory=False)
    found = {each.turn: each for each in find(store, "tomatoes")}
    assert set(found) == {first, second}
    assert (found[first].who, found[second].who) == ("owner", "pet")
    assert found[first].conversation == one.id
    assert marked(found[first]) == ["TOMATOES"]


def test_search_requires_all_words_in_a_turn(store: TranscriptStore) -> None:
    transcript = store.create(memory=True)
    tell(transcript, "the red boat", "it sank")
    tell(transcript, "the red car", "it drove")
    assert [shown(each) for each in find(store, "RED sank")] == ["the red boat"]
    assert find(store, "boat drove") == []
    assert find(store, "   ") == []


def test_chinese_and_full_width_text_is_found(store: TranscriptStore) -> None:
    tell(store.create(memory=True), "我昨天在西湖边喝了龙井茶", "听起来很ＷＯＮＤＥＲＦＵＬ！")
    (found,) = find(store, "龙井茶")
    assert marked(found) == ["龙井茶"]
    (wide,) = find(store, "wonderful")
    assert marked(wide) == ["ＷＯＮＤＥＲＦＵＬ"]


@pytest.mark.parametrize(
    ("said", "query", "mark"),
    [
        ("Émile came by", "emile", "Émile"),
        ("E\u0301mile came by", "Émile", "E\u0301mile"),
        ("with Begoña", "Begona", "Begoña"),
        ("with Begona", "begoña", "Begona"),
        ("die Straße", "STRASSE", "Straße"),
        ("five ﬁgs", "figs", "ﬁgs"),
        ("from Łódź", "lodz", "Łódź"),
        ("ｶﾞﾗｽ", "ガラス", "ｶﾞﾗｽ"),
    ],
)
def test_words_are_found_with_and_without_their_accents(
    store: TranscriptStore, said: str, query: str, mark: str
) -> None:
    tell(store.create(memory=True), said, "I see")
    (hit,) = find(store, query)
    assert marked(hit) == [mark]


def test_a_turn_with_the_accents_as_typed_comes_first(store: TranscriptStore) -> None:
    transcript = store.create(memory=True)
    exact = tell(transcript, "el té está listo", "bien")
    other = tell(transcript, "te lo digo", "bien")
    assert [hit.turn for hit in find(store, "té")] == [exact, other]
    assert [hit.turn for hit in find(store, "te")] == [other, exact]
    assert [hit.turn for hit in find(store, "té", 1)] == [exact]
    assert [marked(hit) for hit in find(store, "té")] == [["té"], ["te"]]


def test_a_conversation_with_the_accents_as_typed_comes_before_newer_ones(store: TranscriptStore) -> None:
    files = []
    for said in ("el te", "el té", "te"):
        transcript = store.create(memory=True)
        tell(transcript, said, "bien")
        files.append(transcript.id)
    by_id = dict(store.files())
    hits = search_transcripts([(each, by_id[each]) for each in files], "té", 2)
    assert [hit.conversation for hit in hits] == [files[1], files[0]]


def test_tool_calls_recall_and_replaced_turns_are_not_searched(store: TranscriptStore) -> None:
    transcript = store.create(memory=True)
    old = tell(transcript, "the giraffe", "long neck")
    tell(transcript, "the lion", "mane", supersedes=old, call="a hidden walrus")
    assert find(store, "giraffe") == find(store, "walrus") == find(store, "zebra") == []
    assert find(store, "user_said") == find(store, "kind") == []
    assert len(find(store, "lion")) == 1


def test_words_that_stand_escaped_in_the_file_are_found(store: TranscriptStore) -> None:
    tell(store.create(memory=True), 'the path is C:\\pets and a "quote"', "ok")
    assert len(find(store, "c:\\pets")) == 1
    assert len(find(store, '"quote"')) == 1


def test_words_beside_half_a_character_are_found(store: TranscriptStore) -> None:
    """A line with a lone surrogate is written in escapes as a whole."""
    transcript = store.create(memory=True)
    turn = tell(transcript, "\ud83d 年糕 was here", "Ñandú!")
    assert [hit.turn for hit in search_transcripts(store.files(), "年糕", 9)] == [turn]


def test_the_newest_come_first_and_no_more_than_wanted(store: TranscriptStore) -> None:
    transcript = store.create(memory=True)
    turns = [tell(transcript, f"apple {number}", "yes") for number in range(5)]
    assert [each.turn for each in find(store, "apple", 3)] == turns[:1:-1]


def test_a_long_message_shows_the_place(store: TranscriptStore) -> None:
    tell(store.create(memory=True), "word " * 500 + "needle " + "word " * 500, "ok")
    (found,) = find(store, "needle")
    assert shown(found).startswith("…")
    assert shown(found).endswith("…")
    assert len(shown(found)) < 250
    assert marked(found) == ["needle"]


def test_a_snippet_is_plain_text(store: TranscriptStore) -> None:
    reply = "# Tea\n\nDrink **green** tea, `matcha` or [oolong](https://tea.example/leaf):\n\n- hot\n- not *cold*\n"
    tell(store.create(memory=True), "what now?", reply)
    (found,) = find(store, "green matcha")
    assert shown(found) == "Tea Drink green tea, matcha or oolong: • hot • not cold"
    assert marked(found) == ["green", "matcha"]
    (address,) = find(store, "tea.example")  # only the markup has it
    assert marked(address) == ["tea.example"]


def test_a_broken_file_costs_only_itself(store: TranscriptStore, tmp_path: Path) -> None:
    tell(store.create(memory=True), "the bell", "ding")
    (tmp_path / "conversations" / f"{new_id()}.jsonl").write_bytes(b'\xff{"kind":"user_said",bell\n\0')
    assert len(find(store, "bell")) == 1


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=4), st.text(max_size=30), st.booleans())
def test_marks_are_pieces_of_the_snippet(texts: list[str], around: str, accents: bool) -> None:
    from pet.transcripts.search import _snippet, _terms  # the pure part, with whatever characters there are

    whole = " ".join((around + " ".join(texts) + around).split())
    pieces = list(_snippet(whole, _terms(" ".join(texts), accents=accents)))
    snippet = "".join(piece.text for piece in pieces)
    cut = snippet.removeprefix("…").removesuffix("…")
    assert any(cut in text or snippet in text for text in (whole, plain_line(whole)))
    assert all(piece.text for piece in pieces if piece.is_match)


# --- export -------------------------------------------------------------------------------------


def test_markdown_names_speaker_and_time(store: TranscriptStore) -> None:
    transcript = store.create(memory=True)
    tell(transcript, "# Hi\nthere", "Hello **you**", call="secret")
    transcript.append(TitleSet(id=new_id(), at=CLOCK.now().isoformat(), title="A talk"))
    text = to_markdown(fold(transcript.entries), Texts("en"), "Mochi")
    head, owner, body, pet, reply = text.strip().split("\n\n")
    assert (head, body, pet, reply) == ("# A talk", "### Hi\nthere", "## Mochi", "Hello **you**")
    assert owner.startswith("## You · 2026-02-24 14:3")
    assert "zebra" not in text
    assert "secret" not in text


def test_json_is_read_back_with_the_same_words(store: TranscriptStore) -> None:
    transcript = store.create(memory=True)
    tell(transcript, "你好", "在呢", memory=False)
    data = json.loads(to_json(fold(transcript.entries)))
    assert (data["format"], data["version"], data["title"]) == ("soulpet-conversation", 1, "你好")
    (turn,) = data["turns"]
    assert (turn["owner"], turn["pet"], turn["memory"], turn["ended"]) == ("你好", "在呢", False, "done")
    assert "zebra" not in json.dumps(data)


def test_an_empty_conversation_can_be_exported() -> None:
    empty = fold(())
    assert to_markdown(empty, Texts("zh"), "麻薯") == "# 一段对话\n"
    assert json.loads(to_json(empty))["turns"] == []


@pytest.mark.parametrize(
    ("title", "stem"),
    [("a/b: c?", "a b c"), ("", "conversation"), ("...", "conversation"), ("茶 🍵", "茶 🍵"), ("x" * 99, "x" * 60)],
)
def test_titles_become_names_that_every_file_system_takes(title: str, stem: str) -> None:
    assert file_stem(title) == stem


def test_a_removed_turn_is_not_found_although_its_file_lost_the_removal(store: TranscriptStore) -> None:
    transcript = store.create(memory=True)
    turn = tell(transcript, "my zebra", "I see")
    tell(transcript, "hello", "hello")
    transcript.append(TurnsRemovedSet(id=new_id(), at=CLOCK.now().isoformat(), turns=(turn,), removed=True))
    ((_, (path,)),) = store.files()
    lines = path.read_bytes().splitlines(keepends=True)
    assert search_transcripts(store.files(), "zebra", 9) == []
    path.write_bytes(b"".join(lines[:-1]))
    assert search_transcripts(store.files(), "zebra", 9) == []
    assert len(search_transcripts(store.files(), "hello", 9)) == 1
