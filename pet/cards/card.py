"""Data of a character card, for character-card-spec V1, V2 and V3.

Lenient: unknown fields stay in ``raw``, values of the wrong type count as absent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from pet.errors import CardRefused
from pet.untrusted.parsers import read_json as read_outside_json

Spec = Literal["v1", "v2", "v3"]
Fields = Mapping[str, object]

_SPECS: Mapping[object, Spec] = {"chara_card_v2": "v2", "chara_card_v3": "v3"}
_KNOWN: Mapping[Spec, float] = {"v1": 1.0, "v2": 2.0, "v3": 3.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """``raw`` is the whole JSON object, ``fields`` the part that describes the character (the same for V1).

    ``newer``: the card has a later spec version; its known fields are used anyway.
    """

    spec: Spec
    newer: bool
    raw: Fields
    fields: Fields

    def text(self, name: str) -> str:
        """Return a text field without unpaired surrogates; "" if absent or not text."""
        return _whole(self.fields.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts without empty ones."""
        value = self.fields.get(name)
        texts = (_whole(item) for item in value) if isinstance(value, list) else ()
        return tuple(text for text in texts if text.strip())

    @property
    def name(self) -> str:
        return " ".join(self.text("name").split())

    @property
    def called(self) -> str:
        """Return the replacement for ``{{char}}``: V3's nickname, else the name."""
        return " ".join(self.text("nickname").split()) or self.name

    @property
    def greetings(self) -> tuple[str, ...]:
        """Return the greetings, the main one first; they are not part of the soul."""
        return tuple(each for each in (self.text("first_mes"), *self.texts("alternate_greetings")) if each.strip())

    @property
    def background(self) -> tuple[str, ...]:
        """Return the constant lore: enabled, constant entries of the card's book, in order."""
        book = self.fields.get("character_book")
        entries = cast("Fields", book).get("entries") if isinstance(book, dict) else None
        lore: list[tuple[float, str]] = []
        for entry in entries if isinstance(entries, list) else []:
            if not isinstance(entry, dict) or entry.get("constant") is not True or entry.get("enabled") is False:
                continue
            text = _whole(entry.get("content"))
            if text.strip():
                lore.append((_order(entry.get("insertion_order")), text))
        return tuple(text for _, text in sorted(lore, key=lambda item: item[0]))


def read_card_json(content: bytes) -> Card:
    """Parse the card in a JSON text. Raises CardRefused."""
    try:
        raw = read_outside_json(content)
    except ValueError:
        raise CardRefused(problem="not_json") from None
    if not isinstance(raw, dict):
        raise CardRefused(problem="no_card")
    return _card(raw)


def _card(raw: Fields) -> Card:
    data = raw.get("data")
    named = raw.get("spec")
    spec = _SPECS.get(named) if isinstance(named, str) else None
    if isinstance(data, dict):
        # Later spec versions are read as the latest known one: so far fields have only been added.
        known = spec or "v3"
        newer = spec is None or _version(raw.get("spec_version")) > _KNOWN[known]
        card = Card(spec=known, newer=newer, raw=raw, fields=data)
    else:
        card = Card(spec="v1", newer=False, raw=raw, fields=raw)
    if not card.name:
        raise CardRefused(problem="no_name")
    return card


def _version(value: object) -> float:
    """Parse a version for comparison; an invalid one counts as known."""
    try:
        number = float(value) if isinstance(value, str | int | float) else 0.0
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def _order(value: object) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(cast("float", value)) if number else 0.0


def _whole(value: object) -> str:
    """Return text without unpaired surrogates and control characters, with \\n line ends."""
    if not isinstance(value, str):
        return ""
    text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char for char in text if char in "\n\t" or (char >= " " and char != "\x7f"))
