"""The owner keeps a secret the pet was not to write down: it is put back where its mark stands."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest

from pet.app import Pet
from pet.bridge.commands.settings import SkillCommands
from pet.desktop.process import start_log
from pet.engine.masked_secrets import CallArgs, keep_secret, put_back
from pet.errors import PetError, SecretGone
from pet.model import Author, Present, Receipt, ToolCallPart
from pet.paths import Home
from tests.support.models.scripted import ScriptedProvider, calls, say

KEY = "sk-" + "ant-api03-Qm7Zx2LkP9vTr4YwHn8BcD1FgJ6S"
PEM = "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END " + "PRIVATE KEY-----"


class Kept:
    """One turn in which the pet writes something with a secret in it."""

    def __init__(self, home: Home) -> None:
        self.provider = ScriptedProvider()
        self.app = Pet(home, environ={}, provider=self.provider, channel="terminal")
        self.chat = self.app.conversations.create(memory=True)

    def write(self, name: str, **arguments: object) -> CallArgs:
        call = ToolCallPart(id="call_1", name=name, arguments=json.dumps(arguments, ensure_ascii=False))
        self.provider.queue(calls(call), say("Done."))
        turn = self.chat.send("remember it")
        self.chat.wait(60)
        return CallArgs(conversation=self.chat.id, turn=turn, call=self._call_id(turn))

    def keep(self, args: CallArgs) -> Receipt | None:
        return keep_secret(self.app.store, self.app.conversations, args)

    def put(self, name: str, text: str) -> None:
        state = self.app.store.read(name)
        base = state.version if isinstance(state, Present) else "missing"
        self.app.store.write(name, text, base=base, author=Author.OWNER)

    def text(self, name: str) -> str:
        state = self.app.store.read(name)
        assert isinstance(state, Present)
        return state.text

    def log(self) -> str:
        (name,) = self.app.store.log_names()
        return name

    def _call_id(self, turn: str) -> str:
        (found,) = (each for each in self.chat.folded().turns if each.id == turn)
        return found.rounds[0].results[0].call_id


@pytest.fixture
def kept(home: Home) -> Iterator[Kept]:
    made = Kept(home)
    yield made
    made.app.close()


def test_a_note_gets_its_password_back(kept: Kept) -> None:
    args = kept.write("memory_write", content="The wifi password is BlueDoor42.")
    assert "BlueDoor42" not in kept.text(kept.log())
    receipt = kept.keep(args)
    assert receipt is not None
    assert (receipt.author, receipt.masked) == (Author.OWNER, ())
    assert kept.text(kept.log()).endswith("\n\nOwner: The wifi password is BlueDoor42.\n")
    assert kept.keep(args) is None  # it is there already
    undone = kept.app.store.undo(receipt, author=Author.OWNER)
    assert undone is not None
    assert "‹hidden:password›" in kept.text(kept.log())


def test_a_whole_text_and_an_edit(kept: Kept) -> None:
    args = kept.write("write", path="MEMORY.md", content=f"# Memory\n\n- key {KEY}\n- likes tea\n- pin: 4821\n")
    assert kept.text("MEMORY.md") == "# Memory\n\n- key ‹hidden:api_key›\n- likes tea\n- pin: ‹hidden:password›\n"
    kept.put("MEMORY.md", kept.text("MEMORY.md") + "- has a dog\n")
    kept.keep(args)
    assert kept.text("MEMORY.md") == f"# Memory\n\n- key {KEY}\n- likes tea\n- pin: 4821\n- has a dog\n"
    args = kept.write("edit", path="MEMORY.md", old_text="has a dog", new_text="door password: RedDoor77")
    assert kept.text("MEMORY.md").endswith("- door password: ‹hidden:password›\n")
    kept.keep(args)
    assert kept.text("MEMORY.md").endswith("- pin: 4821\n- door password: RedDoor77\n")


def test_a_secret_made_of_old_and_new_words(kept: Kept) -> None:
    rest = "".join(f"- fact {number}\n" for number in range(8))
    kept.put("MEMORY.md", f"- wifi password: unknown\n{rest}")
    args = kept.write("edit", path="MEMORY.md", old_text="unknown", new_text="BlueDoor42")
    assert kept.text("MEMORY.md") == f"- wifi password: ‹hidden:password›\n{rest}"
    kept.keep(args)
    assert kept.text("MEMORY.md") == f"- wifi password: BlueDoor42\n{rest}"


def test_a_key_of_several_lines(kept: Kept) -> None:
    args = kept.write("memory_write", content=f"The server key:\n{PEM}\nKeep it safe.")
    assert "‹hidden:private_key›\nKeep it safe." in kept.text(kept.log())
    kept.keep(args)
    assert f"The server key:\n{PEM}\nKeep it safe." in kept.text(kept.log())


def test_the_line_was_changed_meanwhile(kept: Kept) -> None:
    args = kept.write("write", path="MEMORY.md", content="- wifi password: BlueDoor42, upstairs\n- pin: 4821\n")
    kept.put(
        "MEMORY.md",
        "Notes\n  * (old) wifi password: ‹hidden:password›, upstairs and down\n* pin: ‹hidden:password›\n",
    )
    kept.keep(args)
    assert kept.text("MEMORY.md") == "Notes\n  * (old) wifi password: BlueDoor42, upstairs and down\n* pin: 4821\n"


def test_the_place_is_gone(kept: Kept) -> None:
    args = kept.write("write", path="MEMORY.md", content="- wifi password: BlueDoor42\n")
    kept.put("MEMORY.md", "- likes tea\n")
    with pytest.raises(SecretGone):
        kept.keep(args)
    assert kept.text("MEMORY.md") == "- likes tea\n"
    (kept.app.store.root / "MEMORY.md").unlink()
    with pytest.raises(SecretGone):
        kept.keep(args)


def test_ambiguous_markers_are_left_alone(kept: Kept) -> None:
    args = kept.write("write", path="MEMORY.md", content="- wifi password: BlueDoor42\n")
    both = "a ‹hidden:password› b\nc ‹hidden:password› d\n"
    kept.put("MEMORY.md", both)
    with pytest.raises(SecretGone):
        kept.keep(args)
    assert kept.text("MEMORY.md") == both


def test_what_was_not_masked_has_nothing_to_keep(kept: Kept) -> None:
    args = kept.write("memory_write", content="likes tea")
    with pytest.raises(SecretGone):
        kept.keep(args)
    with pytest.raises(SecretGone):
        kept.keep(CallArgs(conversation=args.conversation, turn=args.turn, call="call_none"))
    with pytest.raises(SecretGone):
        kept.keep(CallArgs(conversation=args.conversation, turn="0" * 26, call=args.call))
    with pytest.raises(PetError):
        kept.keep(CallArgs(conversation="0" * 26, turn=args.turn, call=args.call))


def test_a_turn_that_was_replaced_still_has_its_secret(kept: Kept) -> None:
    args = kept.write("memory_write", content="The wifi password is BlueDoor42.")
    kept.provider.queue(say("Again."))
    kept.chat.resend(args.turn, None)
    kept.chat.wait(60)
    kept.keep(args)
    assert "BlueDoor42" in kept.text(kept.log())


def test_an_old_version_that_is_kept_no_more_is_no_hindrance() -> None:
    receipt = Receipt(
        file="MEMORY.md",
        history_id="x",
        before="x",
        after="y",
        added=1,
        removed=0,
        author=Author.PET,
        masked=("password",),
    )
    now = "- wifi password: ‹hidden:password›\n"
    assert put_back(receipt, "- wifi password: BlueDoor42\n", "", now) == "- wifi password: BlueDoor42\n"


def test_skills_are_listed_for_the_owner(kept: Kept) -> None:
    for name, text in {"tea": "---\nname: tea\ndescription: How to make tea.\n---\n", "odd": "odd"}.items():
        folder = kept.app.store.root / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(text)
    listed = SkillCommands(kept.app).list_skills().skills
    assert [(s.name, s.description, s.origin, s.problem) for s in listed] == [
        ("odd", "", "pet", "no_front_matter"),
        ("tea", "How to make tea.", "pet", ""),
    ]


# --- the log of the program ---------------------------------------------------------------------


def test_of_equal_marks_the_one_of_this_change_is_replaced(kept: Kept) -> None:
    kept.put("MEMORY.md", "## Home\n- password: ‹hidden:password›\n## Work\n")
    args = kept.write("edit", path="MEMORY.md", old_text="## Work", new_text="## Work\n- password: BlueDoor42")
    assert kept.text("MEMORY.md").count("- password: ‹hidden:password›") == 2
    kept.keep(args)
    assert kept.text("MEMORY.md") == "## Home\n- password: ‹hidden:password›\n## Work\n- password: BlueDoor42\n"


def test_of_equal_notes_of_a_day_the_one_that_was_kept_shows_its_secret(kept: Kept) -> None:
    kept.write("memory_write", content="At home\n- password: RedDoor17")
    args = kept.write("memory_write", content="At work\n- password: BlueDoor42")
    log = kept.text(kept.log())
    assert log.count("‹hidden:password›") == 2
    kept.keep(args)
    first, second = kept.text(kept.log()).split("At work")
    assert "‹hidden:password›" in first
    assert "BlueDoor42" in second


def test_of_equal_notes_each_gets_its_own_secret_back_whatever_was_kept_before(kept: Kept) -> None:
    doors = {"home": "RedDoor17", "work": "BlueDoor42", "boat": "GreenDoor99"}
    notes = [kept.write("memory_write", content=f"At {place}\n- password: {door}") for place, door in doors.items()]
    for args in notes:
        kept.keep(args)
    said = [line.removeprefix("- password: ") for line in kept.text(kept.log()).split("\n") if "password" in line]
    assert said == list(doors.values())


@pytest.fixture
def own_logging() -> Iterator[None]:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    yield
    for handler in [each for each in root.handlers if each not in before]:
        root.removeHandler(handler)
        handler.close()
    root.handlers[:] = before
    root.setLevel(level)


@pytest.mark.usefixtures("own_logging")
def test_no_secret_gets_into_the_log_not_even_by_an_exception(home: Home) -> None:
    start_log(home)
    log = logging.getLogger("pet.somewhere")
    log.warning("key %s in %r", KEY, {"password": "BlueDoor42"})
    try:
        raise OSError(f"Bearer a8f5f167f44f4964e6c998dee827110c\n{PEM}")
    except OSError:
        log.exception("failed", stack_info=True)
    for handler in logging.getLogger().handlers:
        handler.flush()
    written = home.log_file.read_text(encoding="utf-8")
    for secret in (KEY, "BlueDoor42", "a8f5f167f44f4964e6c998dee827110c", "MIIEvQIBADAN"):
        assert secret not in written
    assert "Traceback" in written
    assert "‹hidden:private_key›" in written
