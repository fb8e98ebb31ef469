"""What a character card says, whichever of the three specifications it follows.

Owns the reading of fields: names and places are those of character-card-spec V1, V2 and V3. Refuses nothing for what
it does not know: unknown fields stay in ``raw``, wrong types count as absent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from pet.errors import CardRefused
from pet.outside_data import read_json as read_outside_json

Spec = Literal["v1", "v2", "v3"]
Fields = Mapping[str, object]

_SPECS: Mapping[object, Spec] = {"chara_card_v2": "v2", "chara_card_v3": "v3"}
_KNOWN: Mapping[Spec, float] = {"v1": 1.0, "v2": 2.0, "v3": 3.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """``raw`` is the whole JSON object, ``fields`` the part that describes the character (of V1 the same).

    ``newer``: it names a version that this program does not know; what it does know is used all the same.
    """

    spec: Spec
    newer: bool
    raw: Fields
    fields: Fields

    def text(self, name: str) -> str:
        """A text field, whole characters only; "" where it is absent or no text."""
        return _whole(self.fields.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, empty ones left out."""
        value = self.fields.get(name)
        found = (_whole(item) for item in value) if isinstance(value, list) else ()
        return tuple(text for text in found if text.strip())

    @property
    def name(self) -> str:
        return " ".join(self.text("name").split())

    @property
    def called(self) -> str:
        """What stands for ``{{char}}``: V3's nickname, else the name."""
        return " ".join(self.text("nickname").split()) or self.name

    @property
    def greetings(self) -> tuple[str, ...]:
        """First messages, the main one first; they are not part of the soul."""
        return tuple(each for each in (self.text("first_mes"), *self.texts("alternate_greetings")) if each.strip())

    @property
    def background(self) -> tuple[str, ...]:
        """The lore that always holds: enabled, constant entries of the card's book, in their order."""
        book = self.fields.get("character_book")
        entries = cast("Fields", book).get("entries") if isinstance(book, dict) else None
        found: list[tuple[float, str]] = []
        for entry in entries if isinstance(entries, list) else []:
            if not isinstance(entry, dict) or entry.get("constant") is not True or entry.get("enabled") is False:
                continue
            text = _whole(entry.get("content"))
            if text.strip():
                found.append((_order(entry.get("insertion_order")), text))
        return tuple(text for _, text in sorted(found, key=lambda item: item[0]))


def read_json(content: bytes) -> Card:
    """The card in a JSON text. Raises CardRefused."""
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
        # A later specification is read like the latest we know: fields have only ever been added.
        known = spec or "v3"
        newer = spec is None or _version(raw.get("spec_version")) > _KNOWN[known]
        card = Card(spec=known, newer=newer, raw=raw, fields=data)
    else:
        card = Card(spec="v1", newer=False, raw=raw, fields=raw)
    if not card.name:
        raise CardRefused(problem="no_name")
    return card


def _version(value: object) -> float:
    """Versions compare as numbers; one that is none counts as known."""
    try:
        number = float(value) if isinstance(value, str | int | float) else 0.0
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def _order(value: object) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(cast("float", value)) if number else 0.0


def _whole(value: object) -> str:
    """Text that can be written to a file: no half characters, no control characters, \\n line ends."""
    if not isinstance(value, str):
        return ""
    text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char for char in text if char in "\n\t" or (char >= " " and char != "\x7f"))
