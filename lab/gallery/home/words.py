"""What is said and written in the gallery's home, in one language; the words themselves stand in ``words/``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from pet.i18n import Language

_FOLDER = Path(__file__).parent / "words"
_DAY = re.compile(r"\{d(-?\d+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An entry of a daily log, so many days ago."""

    ago: int
    at: str
    category: str
    text: str
    due: int | None = None  # likewise in days ago
    plan: str = ""  # its time of day, or how it repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A message and its reply. ``used``: file and words of what was recalled; ``note``: what the pet wrote down."""

    owner: str
    pet: str
    used: tuple[str, ...] = ()
    note: str = ""
    category: str = "general"
    edit: bool = False
    off: bool = False
    picture: str = ""
    ago: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    key: str
    title: str
    ago: int
    at: str
    turns: tuple[Exchange, ...]
    open: bool = False
    turns_of: int = 0  # told again until there are so many


@dataclass(frozen=True, slots=True, kw_only=True)
class Dye:
    """A skin in other colours: our own, with its warm ones turned so far round the circle of 256."""

    id: str
    name: str
    about: str
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    language: Language
    files: Mapping[str, str]  # SOUL.md, USER.md, MEMORY.md, and of each "before"
    notes: tuple[Note, ...]
    talks: tuple[Talk, ...]
    skins: tuple[Dye, ...]
    said: Mapping[str, str]
    acts: Mapping[str, str]  # what the pet's face can say

    def talk(self, key: str) -> Talk:
        return next(talk for talk in self.talks if talk.key == key)


def read_words(language: Language, today: date) -> Words:
    def dated(text: str) -> str:
        return _DAY.sub(lambda found: (today - timedelta(days=int(found[1]))).isoformat(), text)

    raw: dict[str, Any] = tomllib.loads(dated((_FOLDER / f"{language}.toml").read_text(encoding="utf-8")))
    files = {name: text.lstrip() for name, text in raw.items() if isinstance(text, str)}
    talks = tuple(
        Talk(**{**talk, "turns": tuple(_exchange(turn) for turn in talk["turns"])}) for talk in raw["talks"]
    )
    return Words(
        language=language,
        files=files,
        notes=tuple(Note(**note) for note in raw["logs"]),
        talks=talks,
        skins=tuple(Dye(**skin) for skin in raw["skins"]),
        said=raw["said"],
        acts=raw["acts"],
    )


def _exchange(turn: dict[str, Any]) -> Exchange:
    return Exchange(**{**turn, "pet": turn["pet"].strip(), "used": tuple(turn.get("used", ()))})
