"""A whole conversation with a real model through the real engine: streaming, stop, usage, a growing cache."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from pet.app import Pet
from pet.events import Event, TextDelta
from pet.model import TurnEnd
from pet.paths import Home
from pet.transcripts.entries import Compacted
from tests.support.models.local_model import LocalModel

pytestmark = pytest.mark.real_model


@pytest.fixture
def app(home: Home, local_model: LocalModel) -> Iterator[Pet]:
    environ = {"ANTHROPIC_BASE_URL": local_model.url, "ANTHROPIC_API_KEY": local_model.key, "PET_MODEL": "smollm2"}
    home.config.mkdir(parents=True)
    # A tiny model with a tiny window: short replies, and a prompt of the soul's alone.
    home.settings_file.write_text("max_tokens = 48\ncontext_window = 4096\n", encoding="utf-8")
    running = Pet(home, environ=environ, channel="terminal")
    yield running
    running.close()


def test_a_conversation_streams_counts_and_reuses_its_prefix(app: Pet) -> None:
    deltas: list[str] = []

    def on_event(event: Event) -> None:
        if isinstance(event, TextDelta):
            deltas.append(event.text)

    app.emitter.subscribe(on_event, name="test")
    chat = app.conversations.create(memory=True)
    for text in ("Hello!", "What is your favourite colour?", "And why that one?"):
        chat.send(text)
        chat.wait(170)
    turns = chat.folded().turns
    assert [turn.end for turn in turns] == [
        turn.end for turn in turns if turn.end in (TurnEnd.DONE, TurnEnd.MAX_TOKENS)
    ]
    assert all(turn.rounds[-1].text.strip() for turn in turns)
    assert all((turn.usage.output_tokens or 0) > 0 for turn in turns)
    cached = [turn.usage.cache_read_tokens or 0 for turn in turns]
    assert cached[0] < cached[1] < cached[2]
    app.close()
    assert len(deltas) > 3
    assert "".join(deltas).startswith(turns[0].rounds[0].text)


def test_stopping_a_real_reply_keeps_its_words_and_the_next_turn_works(app: Pet) -> None:
    app.settings.change({"max_tokens": 2000})
    spoken = threading.Event()
    app.emitter.subscribe(lambda event: spoken.set() if isinstance(event, TextDelta) else None, name="test")
    chat = app.conversations.create(memory=False)
    chat.send("Tell me a very long story about a fox, a mountain and a hundred lanterns.")
    assert spoken.wait(170)
    chat.stop()
    chat.wait(60)
    stopped = chat.folded().turns[-1]
    assert stopped.end in (TurnEnd.STOPPED, TurnEnd.DONE)
    assert stopped.rounds[-1].text
    app.settings.change({"max_tokens": 16})
    chat.send("Thanks.")
    chat.wait(170)
    assert chat.folded().turns[-1].rounds[-1].text.strip()


def test_a_real_model_that_is_asked_to_remember_does_no_harm(app: Pet) -> None:
    """What the owner wrote stays, what was asked for is noted, and nothing with memory off."""
    root = app.store.root
    before = {}
    for name, line in (
        ("USER.md", "- Name: Femi"),
        ("MEMORY.md", "- Femi rows on Sundays."),
        ("SOUL.md", "You hum."),
    ):
        text = (root / name).read_text(encoding="utf-8") if (root / name).exists() else ""
        (root / name).write_text(f"{text.rstrip()}\n\n{line}\n", encoding="utf-8")
        before[name] = (root / name).read_text(encoding="utf-8").splitlines()
    chat = app.conversations.create(memory=True)
    for text in (
        "Please remember that my sister is called Anna.",
        "What shall we cook tonight?",
        "Remember that I'm allergic to peanuts.",
    ):
        chat.send(text)
        chat.wait(170)
    turns = chat.folded().turns
    assert all(turn.end in (TurnEnd.DONE, TurnEnd.MAX_TOKENS) for turn in turns)
    assert not any(mark in turn.rounds[-1].text for turn in turns for mark in ("<|im_", "<tool_call>", "<think"))
    for name, lines in before.items():
        now = (root / name).read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if line not in now] == []
    noted = "".join(each.read_text(encoding="utf-8") for each in sorted(root.glob("memory/*.md")))
    assert "Anna" in noted and "peanuts" in noted and "tonight" not in noted
    files = {each: each.read_bytes() for each in sorted(root.rglob("*.md"))}
    off = app.conversations.create(memory=False)
    off.send("Please remember that my brother is called Ole.")
    off.wait(170)
    assert {each: each.read_bytes() for each in sorted(root.rglob("*.md"))} == files


@pytest.mark.parametrize("memory", [True, pytest.param(False, marks=pytest.mark.nightly)])
def test_a_real_model_sums_up_and_the_talk_goes_on(app: Pet, memory: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small as it is, it takes the request, gives a summary, and the next request carries that."""
    monkeypatch.setattr("pet.engine.compaction.KEPT_TURNS", 1)
    chat = app.conversations.create(memory=memory)
    for text in ("Please call me Captain.", "I promised you a walk on Sunday.", "What shall we sing?"):
        chat.send(text)
        chat.wait(170)
    chat.compact()
    chat.wait(170)
    (made,) = [entry for entry in chat.transcript.entries if isinstance(entry, Compacted)]
    assert made.text.strip()
    assert made.memory is memory
    assert (made.usage.output_tokens or 0) > 0
    chat.send("And now?")
    chat.wait(170)
    last = chat.folded().turns[-1]
    assert last.end in (TurnEnd.DONE, TurnEnd.MAX_TOKENS)
    assert last.rounds[-1].text.strip()
