"""Forgetting from the windows: what was listed is what goes."""

from __future__ import annotations

import pytest

from pet.bridge.commands.memory import ForgetArgs, ForgetCommands
from pet.errors import BadArguments
from pet.ids import new_id
from pet.model import Source
from pet.transcripts.entries import UserMessage
from tests.memory.forget_desk import Pet
from tests.support.program.parts import pet_of


def test_what_is_listed_is_what_goes_though_the_lines_have_moved(pet: Pet) -> None:
    pet.save("MEMORY.md", "- tea\n- Zanzibar\n- rice\n")
    commands = ForgetCommands(pet_of(forgetting=pet.forgetting))
    args = ForgetArgs(file="MEMORY.md", start_line=2, end_line=2)
    shown = commands.list_forget(args)
    assert (shown.text, [piece.text for piece in shown.goes]) == ("Zanzibar", ["- Zanzibar"])
    pet.save("MEMORY.md", "- new\n- tea\n- Zanzibar\n- rice\n")
    report = commands.forget(args)
    assert (report.entries, report.left) == (1, [])
    assert pet.text("MEMORY.md") == "- new\n- tea\n- rice\n"


def test_a_text_and_a_receipt_can_be_named(pet: Pet) -> None:
    commands = ForgetCommands(pet_of(forgetting=pet.forgetting))
    receipt = pet.save("MEMORY.md", "- Zanzibar\n- Lisbon\n")
    assert commands.list_forget(ForgetArgs(receipt=receipt)).text == "Zanzibar\nLisbon"
    assert commands.forget(ForgetArgs(text="lisbon")).entries == 1
    assert pet.text("MEMORY.md") == "- Zanzibar\n"


def test_an_entry_of_a_log_is_listed_by_its_words_with_its_time_and_category_apart(pet: Pet) -> None:
    pet.save("memory/2026-03-01.md", "# Memory Log: 2026-03-01\n\n## [09:12:30] todo @2026-03-09\n\nSee Zanzibar\n")
    pet.save("MEMORY.md", "- Zanzibar\n")
    listed = ForgetCommands(pet_of(forgetting=pet.forgetting)).list_forget(ForgetArgs(text="zanzibar")).goes
    shown = {(each.path, each.text, each.time, each.category) for each in listed if each.where in ("file", "log")}
    assert shown == {
        ("memory/2026-03-01.md", "See Zanzibar", "09:12:30", "todo"),
        ("MEMORY.md", "- Zanzibar", "", ""),
    }


@pytest.mark.parametrize("args", [ForgetArgs(), ForgetArgs(text="x y z", file="MEMORY.md")])
def test_exactly_one_thing_is_named(pet: Pet, args: ForgetArgs) -> None:
    with pytest.raises(BadArguments):
        ForgetCommands(pet_of(forgetting=pet.forgetting)).list_forget(args)


def test_what_was_learned_in_a_conversation_goes_also_after_that_was_deleted(pet: Pet) -> None:
    talk = pet.transcripts.create(memory=True)
    at = pet.clock.now().isoformat()
    talk.append(UserMessage(id=new_id(), at=at, turn="t", text="I have been to Zanzibar", memory=True))
    other = pet.transcripts.create(memory=True)
    other.append(UserMessage(id=new_id(), at=at, turn="u", text="Zanzibar again", memory=True))
    pet.save("USER.md", "- Lin\n- Zanzibar\n", Source(conversation=talk.id, turn="t"))
    commands = ForgetCommands(pet_of(forgetting=pet.forgetting))
    wish = ForgetArgs(conversation=talk.id)
    listed = commands.list_forget(wish)
    assert [(piece.where, piece.path) for piece in listed.goes][:1] == [("file", "USER.md")]
    assert [piece.path for piece in listed.stays] == [f"conversations/{other.id}.jsonl"], "its own goes with it"
    pet.transcripts.delete(talk.id)
    report = commands.forget(wish)
    assert report.entries >= 1
    assert [piece.path for piece in report.left] == [f"conversations/{other.id}.jsonl"]
    assert "Zanzibar" not in pet.text("USER.md")


def test_where_nothing_was_learned_there_is_nothing_to_forget_and_nothing_changes(pet: Pet) -> None:
    pet.save("MEMORY.md", "- Zanzibar\n")
    commands = ForgetCommands(pet_of(forgetting=pet.forgetting))
    wish = ForgetArgs(conversation="01h00000000000000000000000")
    assert commands.list_forget(wish).goes == []
    assert commands.forget(wish).entries == 0
    assert pet.text("MEMORY.md") == "- Zanzibar\n"
