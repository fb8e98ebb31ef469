"""With "only what I ask it to": a write without a wish in the owner's message waits for the owner, whatever the model
does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.access import ON, VisibleFiles
from pet.language.wishes import asks_to_write
from pet.model import Allowed, NotedText, Refused
from pet.prompt.build import PromptInputs, build_prompt
from tests.engine.conftest import Core, Make
from tests.engine.test_turn import wait_for_proposal
from tests.support.models.scripted import call, say
from tests.tools.conftest import Bench

TODAY = "memory/2026-02-24.md"
WRITES = {
    "memory_write": {"content": "likes tea"},
    "write": {"path": "MEMORY.md", "content": "- likes tea\n"},
    "edit": {"path": "USER.md", "old_text": "Ann", "new_text": "Ann, who likes tea"},
}


@pytest.fixture
def asked(bench: Bench) -> Bench:
    (bench.desk.root / "USER.md").write_text("# Owner\n\n- Ann\n", encoding="utf-8")
    return bench


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("allowed", [True, False])
def test_a_write_without_a_wish_is_a_proposal(asked: Bench, name: str, allowed: bool) -> None:
    before = {file.name: file.read_bytes() for file in asked.desk.root.rglob("*.md")}
    if not allowed:
        asked.answers = [Refused(why="owner")]
    outcome = asked.run(name, replace(asked.context(), unasked=True), **WRITES[name])
    (shown,) = asked.shown
    assert (shown.reason, "tea" in shown.after) == ("unasked", True)
    assert (outcome.receipt is not None) is allowed
    if not allowed:
        assert {file.name: file.read_bytes() for file in asked.desk.root.rglob("*.md")} == before


def test_a_proposal_has_everything_that_is_written(asked: Bench) -> None:
    unasked = replace(asked.context(), unasked=True)
    asked.run("memory_write", unasked, content="water the ferns", category="todo", due="every Monday at 18:00")
    asked.run("memory_write", unasked, content="likes rye", category="odd\U000e0041")
    first, second = asked.shown
    assert (first.category, second.category, second.noted) == ("todo", "odd\U000e0041", None)
    assert first.noted == NotedText(text="water the ferns", due="2026-03-02", at="18:00", repeats="every Monday")
    assert "todo (every Monday at 18:00) @2026-03-02" in asked.text(TODAY)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_the_owners_own_words_are_noted_in_their_place(asked: Bench) -> None:
    asked.answers = [Allowed(text="Owner: likes green tea", edited=True)]
    asked.run("memory_write", replace(asked.context(), unasked=True), content="likes tea")
    assert "Owner: likes green tea\n" in asked.text(TODAY)


def test_the_owner_is_not_asked_about_what_is_noted_already(asked: Bench) -> None:
    asked.run("memory_write", content="likes tea")
    outcome = asked.run("memory_write", replace(asked.context(), unasked=True), content="Likes tea.")
    assert (asked.shown, outcome.receipt, "already_noted" in outcome.text) == ([], None, True)


@pytest.mark.parametrize("name", WRITES)
def test_with_a_wish_it_is_written_at_once(asked: Bench, name: str) -> None:
    assert asked.run(name, **WRITES[name]).receipt is not None
    assert asked.shown == []


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("I like tea", False),
        ("我喜欢茶", False),
        ("Me gusta el té", False),
        ("Do you remember my dog?", False),
        ("Remember that I like tea", True),
        ("Remind me at five", True),
        ("记住我喜欢茶", True),
        ("提醒我五点喝茶", True),
        ("Recuerda que me gusta el té", True),
        ("Recuérdame comprar té", True),
        ("No lo anotes", False),
        ("Put that in USER.md", True),
        ("Don't remind me of that", False),
        ("Please don't remind me", False),
        ("You remind me of my dog", False),
        ("别提醒我", False),
        ("I should write it down", False),
        ("Please write it down", True),
    ],
)
def test_wishes_in_three_languages(message: str, wish: bool) -> None:
    assert asks_to_write(message) is wish


def test_the_setting_decides_in_a_turn_and_a_wish_is_carried_out(make_core: Make) -> None:
    core: Core = make_core(
        call("memory_write", {"content": "likes tea"}),
        say("ok"),
        call("memory_write", {"content": "is Ann"}),
        say("ok"),
    )
    core.app.settings.change({"notes_when_asked": True})
    chat = core.app.conversations.create(memory=True)
    chat.send("I like tea")
    proposal = wait_for_proposal(core).proposal
    assert (proposal.reason, proposal.after) == ("unasked", "Owner: likes tea")
    chat.answer(proposal.id, Refused(why="owner"))
    chat.wait(60)
    assert not list((core.app.store.root / "memory").glob("*.md"))
    chat.send("Remember that I am Ann")
    chat.wait(60)
    (log,) = (core.app.store.root / "memory").glob("*.md")
    assert "is Ann" in log.read_text(encoding="utf-8")


def test_the_prompt_says_so() -> None:
    inputs = PromptInputs(files=VisibleFiles(ON, ()), language="en", default_soul="", pet_name="Pip", model="m")
    usual, asked = (
        "".join(block.text for block in build_prompt(replace(inputs, notes_when_asked=on)).blocks)
        for on in (False, True)
    )
    assert "only what they ask you to remember" in asked and "unasked and without fuss" in usual


@given(st.text(max_size=400))
def test_any_message_is_judged(message: str) -> None:
    assert asks_to_write(message) in (True, False)
