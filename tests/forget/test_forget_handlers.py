"""Forgetting from the windows: what was listed is what goes."""

from __future__ import annotations

import pytest

from pet.bridge.api import ForgetArgs
from pet.bridge.handlers.forget import ForgetCommands
from pet.errors import BadArguments
from tests.forget.conftest import Pet


def test_what_is_listed_is_what_goes_though_the_lines_have_moved(pet: Pet) -> None:
    pet.save("MEMORY.md", "- tea\n- Zanzibar\n- rice\n")
    commands = ForgetCommands(pet.forgetting)
    args = ForgetArgs(file="MEMORY.md", start_line=2, end_line=2)
    shown = commands.list_forget(args)
    assert (shown.text, [piece.text for piece in shown.goes]) == ("Zanzibar", ["- Zanzibar"])
    pet.save("MEMORY.md", "- new\n- tea\n- Zanzibar\n- rice\n")
    report = commands.forget(args)
    assert (report.entries, report.left) == (1, [])
    assert pet.text("MEMORY.md") == "- new\n- tea\n- rice\n"


def test_a_text_and_a_receipt_can_be_named(pet: Pet) -> None:
    commands = ForgetCommands(pet.forgetting)
    receipt = pet.save("MEMORY.md", "- Zanzibar\n- Lisbon\n")
    assert commands.list_forget(ForgetArgs(receipt=receipt)).text == "Zanzibar\nLisbon"
    assert commands.forget(ForgetArgs(text="lisbon")).entries == 1
    assert pet.text("MEMORY.md") == "- Zanzibar\n"


@pytest.mark.parametrize("args", [ForgetArgs(), ForgetArgs(text="x y z", file="MEMORY.md")])
def test_exactly_one_thing_is_named(pet: Pet, args: ForgetArgs) -> None:
    with pytest.raises(BadArguments):
        ForgetCommands(pet.forgetting).list_forget(args)
