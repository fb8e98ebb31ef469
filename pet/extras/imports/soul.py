"""Convert a card to the text of a SOUL.md and back. Pure.

Maps card fields to headings. A card's author gets no control over the program: system prompts and instructions are
omitted unless the owner requests them, and creator's notes always are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from pet.extras.imports.card import Card, CardRefused, Fields
from pet.i18n import Language, Texts

_CHAR = re.compile(r"\{\{\s*char\s*\}\}|<(?:BOT|CHAR)>", re.I)
_USER = re.compile(r"\{\{\s*user\s*\}\}|<USER>", re.I)
_COMMENT = re.compile(r"\{\{\s*(?://|comment:)[^{}]*\}\}", re.I)
_CHOICE = re.compile(r"\{\{\s*(?:random|pick)\s*:{1,2}([^{},:]*+)[^{}]*\}\}", re.I)  # possessive: else quadratic
_ORIGINAL = re.compile(r"\{\{\s*original\s*\}\}", re.I)
_START = re.compile(r"^[ \t]*<START>[ \t]*$", re.I | re.M)
_KEPT = "soulpet"

MAX_TEXT = 1 << 20
"""Bytes of a card's filled-in text and of its whole soul, the limit of a pet's file."""
MOST_GREETINGS = 100


def soul_text(card: Card, language: Language, *, instructions: bool = False) -> str:
    """Return SOUL.md for this card. ``instructions``: include its system prompt and closing instructions. Raises
    CardRefused."""
    texts = Texts(language)
    parts = [f"# {card.called}"]
    for heading, body in _sections(card, texts, instructions=instructions):
        parts.append(f"## {texts(f'cards.{heading}')}\n\n{body}")
    soul = "\n\n".join(parts) + "\n"
    if len(soul.encode()) > MAX_TEXT:  # its name and tags count as well
        raise _too_long()
    return soul


def greetings(card: Card) -> tuple[str, ...]:
    """Return the first greetings for a new tab, with ``{{user}}`` still in place. Raises CardRefused."""
    fill = _Filling(card.called)
    return tuple(fill(text).strip() for text in card.greetings[:MOST_GREETINGS])


def filled(text: str, card: Card) -> str:
    """Substitute the character's name; ``{{user}}`` stays, for the prompt to fill. Raises CardRefused."""
    return _Filling(card.called)(text)


@dataclass(slots=True)
class _Filling:
    """Substitutes placeholders, in ``left`` bytes in total: a long, often repeated name grows quadratically."""

    name: str
    left: int = MAX_TEXT

    def __call__(self, text: str) -> str:
        """Raises CardRefused before the text grows past the limit."""
        text = _COMMENT.sub("", text)
        text = _CHOICE.sub(lambda match: match[1].strip(), text)
        text = _ORIGINAL.sub("", text)
        others, named = _CHAR.subn("", text)
        self.left -= len(others.encode()) + named * len(self.name.encode())
        if self.left < 0:
            raise _too_long()
        text = _CHAR.sub(lambda _: self.name, text)
        return _USER.sub("{{user}}", text)


def _too_long() -> CardRefused:
    return CardRefused(problem="too_long", limit=MAX_TEXT // 1024 // 1024)


def card_with(card: Card, soul: str) -> Mapping[bytes, Fields]:
    """Return the card with this soul as its ``description``, by PNG keyword: as V3 and as V2.

    Fields that formed the old soul are emptied, since readers would otherwise get them twice; their content is kept
    under ``extensions``.
    """
    fields = dict(card.fields)
    was = {name: fields[name] for name in _SOUL_FIELDS if fields.get(name)}
    extensions = fields.get("extensions")
    fields |= {
        **dict.fromkeys(was, ""),
        "description": soul,
        "extensions": {**(extensions if isinstance(extensions, dict) else {}), _KEPT: {"imported": was}},
    }
    return _both(fields, card.raw)


def new_card(name: str, soul: str) -> Mapping[bytes, Fields]:
    """Return a card for a pet that was not imported from one."""
    return _both({"name": name, "description": soul, "extensions": {_KEPT: {}}}, {})


def new_picture_card(name: str, soul: str) -> Mapping[bytes, Fields]:
    """Return the same for embedding in an image of the pet."""
    made = new_card(name, soul)
    v3 = made[b"ccv3"]
    icon = {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}
    data = {**cast("Fields", v3["data"]), "assets": [icon]}
    return {**made, b"ccv3": {**v3, "data": data}}


_SOUL_FIELDS = ("description", "personality", "scenario", "mes_example")
_V2: Mapping[str, object] = {
    "name": "",
    "description": "",
    "personality": "",
    "scenario": "",
    "first_mes": "",
    "mes_example": "",
    "creator_notes": "",
    "system_prompt": "",
    "post_history_instructions": "",
    "alternate_greetings": [],
    "tags": [],
    "creator": "",
    "character_version": "",
    "extensions": {},
}


def _both(fields: Fields, raw: Fields) -> Mapping[bytes, Fields]:
    """Add every field the specifications require, without losing existing ones."""
    around = {name: value for name, value in raw.items() if name not in ("spec", "spec_version", "data")}
    if "data" not in raw:
        around = {}  # V1 has its fields at the top level
    data = {**_V2, **fields}
    v3 = {**around, "spec": "chara_card_v3", "spec_version": "3.0", "data": {"group_only_greetings": [], **data}}
    v2 = {**around, "spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    return {b"ccv3": v3, b"chara": v2}


def _sections(card: Card, texts: Texts, *, instructions: bool) -> Iterator[tuple[str, str]]:
    fill = _Filling(card.called)
    for heading, name in (("who", "description"), ("personality", "personality"), ("setting", "scenario")):
        body = fill(card.text(name)).strip()
        if body:
            yield heading, body
    examples = _examples(fill(card.text("mes_example")))
    if examples:
        yield "talk", examples
    background = "\n\n".join(fill(text).strip() for text in card.background)
    if background:
        yield "background", background
    if instructions:
        wanted = (fill(card.text(name)).strip() for name in ("system_prompt", "post_history_instructions"))
        body = "\n\n".join(text for text in wanted if text)
        if body:
            yield "instructions", body
    about = "\n".join(_about(card, texts))
    if about:
        yield "about", about


def _examples(text: str) -> str:
    """Split examples at each ``<START>``; they are separated by an empty line."""
    blocks = (block.strip() for block in _START.split(text))
    return "\n\n".join(block for block in blocks if block)


def _about(card: Card, texts: Texts) -> Iterator[str]:
    named = {
        "creator": card.text("creator"),
        "version": card.text("character_version"),
        "tags": ", ".join(card.texts("tags")),
        "source": ", ".join(card.texts("source")),
    }
    for name, value in named.items():
        line = " ".join(value.split())
        if line:
            yield f"- {texts(f'cards.about.{name}')}: {line}"
