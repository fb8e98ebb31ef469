"""Every error that the bridge itself can give has words in both languages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import pet.i18n
from pet.errors import (
    BadArguments,
    DraftTooLong,
    LinkRefused,
    NotAllowed,
    PetError,
    TextTooLong,
    TooManyDrafts,
    UnknownCommand,
)
from pet.events import ErrorInfo
from pet.i18n import LANGUAGES, Language, Texts

ERRORS: list[PetError] = [
    UnknownCommand(command="dance"),
    NotAllowed(command="read_file"),
    BadArguments(where="text", why="too_long"),
    LinkRefused(why="scheme"),
    TextTooLong(where="text", why="too_long", limit=2),
    DraftTooLong(limit=200_000),
    TooManyDrafts(limit=500),
]
INFOS = [*map(ErrorInfo.of, ERRORS), ErrorInfo(code="internal", args={"id": "01ab"}), ErrorInfo(code="not_answering")]


def area(language: Language) -> dict[str, str]:
    file = Path(pet.i18n.__file__).parent / language / "bridge.json"
    texts: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return texts


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", text))


def test_both_languages_word_the_same_errors_with_the_same_arguments() -> None:
    english, chinese = area("en"), area("zh")
    assert english.keys() == chinese.keys()
    assert {key: placeholders(text) for key, text in english.items()} == {
        key: placeholders(text) for key, text in chinese.items()
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.code)
def test_an_error_of_the_bridge_is_worded_whole(info: ErrorInfo, language: Language) -> None:
    worded = Texts(language)(f"error.{info.code}", **info.args)
    assert worded
    assert not placeholders(worded)
