"""A mistyped command of the terminal chat names the one that was meant."""

from __future__ import annotations

import pytest

from tests.cli.conftest import PetCommand


@pytest.mark.parametrize(
    ("typed", "words"), [("/memroy", "Did you mean /memory?"), ("/xyzzy", "/help lists them all")]
)
def test_mistyped_command_suggests_the_nearest(typed: str, words: str, pet: PetCommand) -> None:
    ended = pet("chat", typed=f"{typed}\n")
    assert words in ended.out + ended.err
