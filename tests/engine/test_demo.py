"""The demo: what it does by rules, through the pet's own tools, and its prepared answers for everything else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pet.app import Pet
from pet.engine.claim_check import check_claim
from pet.engine.conversation import LiveConversation
from pet.engine.demo import ROWS, DemoProvider, searched
from pet.errors import ProviderFault
from pet.i18n import LANGUAGES, Language, Texts
from pet.language import pattern_rows, read_table
from pet.memory.reminders.reminder import find_reminders
from pet.model import Message, Request, StopReason, TextPart, ToolCallPart
from pet.paths import find_home
from pet.providers.base import RoundDone, TextChunk
from pet.transcripts.conversation import Turn

NOW = datetime(2026, 11, 27, 22, tzinfo=UTC)
PREPARED: dict[Language, tuple[str, ...]] = {
    "en": ("prepared", "demo"),
    "zh": ("写好", "演示"),
    "es": ("preparada", "demo"),
}


def request(*said: str) -> Request:
    messages = [Message(role="user", parts=(TextPart(text=text),)) for text in said]
    return Request(model="x", max_tokens=100, system=(), tools=(), messages=tuple(messages))


async def answer(language: Language, *said: str) -> tuple[str, RoundDone]:
    text, last = "", None
    async for came in DemoProvider(lambda: Texts(language), lambda: NOW, pace=0).stream(request(*said)):
        if isinstance(came, TextChunk):
            text += came.text
        last = came
    assert isinstance(last, RoundDone)
    return text, last


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_prepared_answer_says_that_it_is(language: Language) -> None:
    answers = [asyncio.run(answer(language, *["hi"] * count))[0] for count in (1, 2, 3)]
    assert answers[0] != answers[1] == answers[2]
    for text in answers:
        assert all(word in text for word in PREPARED[language])


def test_what_streams_is_the_reply_and_costs_nothing() -> None:
    text, done = asyncio.run(answer("zh", "你好"))
    assert done.parts == (TextPart(text=text),)
    assert (done.stop, done.model) == (StopReason.END_TURN, "demo")


def test_the_demo_does_not_play_a_model_where_it_would_matter() -> None:
    with pytest.raises(ProviderFault) as fault:
        asyncio.run(answer("en", "Sum this up: " + "x" * 5000))
    assert fault.value.kind == "demo"


@pytest.mark.parametrize("kind", ["remind", "search"])
def test_each_row_is_as_it_says(kind: str) -> None:
    for row, pattern in zip(json.loads(read_table(ROWS))[kind], pattern_rows(ROWS)[kind], strict=True):
        if kind == "search":
            assert pattern.match(row["is"]) and not pattern.match(row["is_not"]), row
        else:
            assert pattern.sub("", row["is"]).strip() != row["is"], row
            assert pattern.sub("", row["is_not"]) == row["is_not"], row


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("Could you look for green tea?", "green tea"),
        ("Search your notes: tea", "tea"),
        ("在你的记忆里找绿茶", "绿茶"),
        ("Busca en mis notas té verde", "té verde"),
        ("我的猫叫什么？", "我的猫叫什么？"),
        ("Look, a bird!", ""),
        ("找工作好难", ""),
        ("What is the capital of France?", ""),
        ("How are you?", ""),
    ],
)
def test_what_is_looked_up(message: str, query: str) -> None:
    assert searched(message) == query


# --- with the whole program ---------------------------------------------------------------------


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Language:
    chosen: Language = request.param
    return chosen


@pytest.fixture
def app(tmp_path: Path, language: Language) -> Iterator[Pet]:
    home = find_home(tmp_path / "home")
    home.settings_file.parent.mkdir(parents=True)
    home.settings_file.write_text(f'language = "{language}"\n', "utf-8")
    app = Pet(home, environ={})
    yield app
    app.close()


def told(chat: LiveConversation, text: str) -> Turn:
    chat.send(text)
    chat.wait(60)
    return chat.folded().turns[-1]


def calls(turn: Turn) -> list[str]:
    return [part.name for round_ in turn.rounds for part in round_.parts if isinstance(part, ToolCallPart)]


def reply(turn: Turn) -> str:
    return "".join(part.text for part in turn.rounds[-1].parts if isinstance(part, TextPart))


def logs(app: Pet) -> str:
    return "\n".join((app.store.root / name).read_text("utf-8") for name in app.store.log_names())


def test_what_the_empty_chat_offers_works(app: Pet) -> None:
    texts, chat = app.texts(), app.conversations.create(memory=True)
    cat = {"en": "Pepper", "zh": "胡椒", "es": "Pimienta"}[texts.language]
    noted = told(chat, texts("demo.try_remember"))
    assert calls(noted) == ["memory_write"] and cat in logs(app)
    assert check_claim(noted, keeps=True) is None  # it says that it noted, and did
    assert calls(told(chat, texts("demo.try_remind"))) == ["memory_write"]
    (reminder,) = (each for name in app.store.log_names() for each in find_reminders(name, logs(app)))
    now = app.clock.now()
    assert (reminder.due - now.date()).days == 1 and reminder.at and reminder.at.hour == 9
    other = app.conversations.create(memory=True)
    asked = told(other, texts("demo.try_search"))
    assert calls(asked) == ["memory_search"] and reply(asked).count(cat) == 1  # a note, not what was said
    assert check_claim(asked, keeps=True) is None


def test_nothing_of_it_is_done_with_memory_off(app: Pet) -> None:
    texts, chat = app.texts(), app.conversations.create(memory=False)
    for words in ("demo.try_remember", "demo.try_remind", "demo.try_search"):
        turn = told(chat, texts(words))
        assert calls(turn) == [] and reply(turn) == texts("demo.memory_off")
    assert app.store.log_names() == []


def test_a_reminder_without_a_time_asks_for_one_and_what_is_known_is_said(app: Pet) -> None:
    texts, chat = app.texts(), app.conversations.create(memory=True)
    turn = told(chat, {"en": "Remind me to stretch", "zh": "提醒我浇花", "es": "Recuérdame regar"}[texts.language])
    assert reply(turn) == texts("demo.when")
    told(chat, texts("demo.try_remember"))
    again = told(chat, texts("demo.try_remember"))
    assert reply(again) == texts("demo.known") and check_claim(again, keeps=True) is None
