"""Character cards of specification V1, V2 and V3, their files (PNG text chunks, JSON, charx zip), and their text as a
SOUL.md and back. Pure.

Lenient: unknown fields stay in ``raw``, values of the wrong type count as absent. Sizes are checked before unpacking;
declared sizes are never trusted. Images are returned as bytes, bounded in number and size, for callers to validate;
remote images are counted, never downloaded. A card's author gets no control over the program: system prompts and
instructions are left out of the soul unless the owner wants them, and creator's notes always are.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import Literal, cast

from pet.errors import ProblemError
from pet.fs.zip_reading import BROKEN, open_bytes, read_entry
from pet.i18n import Language, Texts
from pet.text.unseen import count_unseen
from pet.untrusted.parsers import read_json as read_outside_json

Spec = Literal["v1", "v2", "v3"]
Fields = Mapping[str, object]

_SPECS: Mapping[object, Spec] = {"chara_card_v2": "v2", "chara_card_v3": "v3"}
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_KNOWN: Mapping[Spec, float] = {"v1": 1.0, "v2": 2.0, "v3": 3.0}


class CardRefused(ProblemError):
    """A character card that can't be used. ``problem`` is the catalogue's key after ``card_``: not_json, no_card,
    no_name, not_a_png, broken_png, broken_zip, too_large, too_long, unreadable.
    """

    family = "card"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """``raw`` is the whole JSON object, ``fields`` the part that describes the character (the same for V1).

    ``newer``: the card has a later spec version; its known fields are used anyway.
    """

    spec: Spec
    newer: bool
    raw: Fields
    fields: Fields
    file: str = ""  # the name of its file, without ending, for a card with an empty name

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
        """Return the name: the character's, else that beside it, as V2 cards have it for V1, else the file's."""
        return _visible(self.fields.get("name")) or _visible(self.raw.get("name")) or self.file

    @property
    def called(self) -> str:
        """Return the replacement for ``{{char}}``: V3's nickname, else the name."""
        return _visible(self.fields.get("nickname")) or self.name

    @property
    def greetings(self) -> tuple[str, ...]:
        """Return the greetings, the main one first; they are not part of the soul."""
        return tuple(each for each in (self.text("first_mes"), *self.texts("alternate_greetings")) if each.strip())

    @property
    def background(self) -> tuple[str, ...]:
        """Return the constant lore: enabled, constant entries of the card's book, in order."""
        lore = [
            (_order(entry), _whole(entry.get("content"))) for entry in self._lore() if entry.get("constant") is True
        ]
        return tuple(text for _, text in sorted(lore, key=lambda item: item[0]))

    @property
    def lore_left(self) -> int:
        """Return the number of enabled entries that are looked up by keywords, which are not part of the soul."""
        return sum(entry.get("constant") is not True for entry in self._lore())

    def _lore(self) -> Iterator[Fields]:
        """Yield the book's enabled entries with text: a list, or, as in lore files, an object by number."""
        book = self.fields.get("character_book") or self.raw.get("character_book")
        entries = cast("Fields", book).get("entries") if isinstance(book, dict) else book
        for entry in entries.values() if isinstance(entries, dict) else entries if isinstance(entries, list) else ():
            off = isinstance(entry, dict) and (entry.get("enabled") is False or entry.get("disable") is True)
            if isinstance(entry, dict) and not off and _whole(entry.get("content")).strip():
                yield entry


def read_card_json(content: bytes, file: str = "") -> Card:
    """Parse the card in a JSON text. ``file``: names one whose own name is empty. Raises CardRefused."""
    try:
        raw = read_outside_json(content)
    except ValueError:
        raise CardRefused(problem="not_json") from None
    if not isinstance(raw, dict):
        raise CardRefused(problem="no_card")
    return _card(raw, file)


def _card(raw: Fields, file: str) -> Card:
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
    if file and (spec is not None or isinstance(card.fields.get("name"), str)):
        card = replace(card, file=" ".join(PurePath(_whole(file)).stem.split()))
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


def _order(entry: Fields) -> float:
    value = entry.get("insertion_order", entry.get("order"))
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(cast("float", value)) if number else 0.0


def _visible(value: object) -> str:
    """Return a name on one line; "" if nothing of it can be seen."""
    name = " ".join(_whole(value).split())
    return name if count_unseen(name) < len(name.replace(" ", "")) else ""


def _whole(value: object) -> str:
    """Return text without unpaired surrogates and control characters, with \\n line ends."""
    if not isinstance(value, str):
        return ""
    text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", text)


Carrier = Literal["png", "json", "charx"]

MAX_FILE = 64 * 1024 * 1024
MAX_CARD = 8 * 1024 * 1024
_PNG = b"\x89PNG\r\n\x1a\n"
_KEYWORDS = (b"ccv3", b"chara")  # V3's chunk is preferred if both exist
_CARD_JSON = "card.json"
_MOST_ENTRIES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCard:
    """A card and the file it came from."""

    card: Card
    carrier: Carrier
    content: bytes

    @property
    def declared(self) -> bool:
        """Whether the file says that it is a card. Other JSON objects with a name are read as cards of version 1."""
        return self.carrier != "json" or self.card.raw.get("spec") in _SPECS or "first_mes" in self.card.fields


def read_card(content: bytes, file: str = "") -> ReadCard:
    """Read a card; the container is detected by content. ``file``: its name, for a card with an empty name.

    Raises CardRefused.
    """
    if len(content) > MAX_FILE:
        raise CardRefused(problem="too_large", limit=MAX_FILE // 1024 // 1024)
    if content.startswith(_PNG):
        return ReadCard(card=_from_png(content, file), carrier="png", content=content)
    if content[:2] == b"PK" or zipfile.is_zipfile(io.BytesIO(content)):
        return ReadCard(card=read_card_json(_card_in_zip(content), file), carrier="charx", content=content)
    if len(content) > MAX_CARD:
        raise CardRefused(problem="too_large", limit=MAX_CARD // 1024 // 1024)
    return ReadCard(card=read_card_json(content, file), carrier="json", content=content)


def with_card(read: ReadCard, raws: Mapping[bytes, Mapping[str, object]]) -> bytes:
    """Return the same file with new card data: ``raws`` by PNG keyword; zip and JSON files hold the first of them."""
    newest = next(iter(raws.values()))
    match read.carrier:
        case "json":
            return _dump(newest, indent=2)
        case "charx":
            return _zip_with(read.content, _dump(newest))
        case "png":
            return png_with(read.content, raws)


def png_with(picture: bytes, raws: Mapping[bytes, Mapping[str, object]]) -> bytes:
    """Return the PNG with these cards as its only card chunks; pixels and other chunks are unchanged.

    Raises CardRefused if it is not a PNG.
    """
    if not picture.startswith(_PNG):
        raise CardRefused(problem="not_a_png")
    pieces = [_PNG]
    for kind, data in _chunks(picture):
        if _text_keyword(kind, data) in _KEYWORDS:
            continue
        if kind == b"IEND":
            for keyword, raw in raws.items():
                pieces.append(_chunk(b"tEXt", keyword + b"\0" + base64.b64encode(_dump(raw))))
        pieces.append(_chunk(kind, data))
    return b"".join(pieces)


def text_chunks(picture: bytes, start: bytes) -> dict[bytes, bytes]:
    """Return the plain text chunks whose keyword starts so, by the rest of the keyword."""
    texts: dict[bytes, bytes] = {}
    try:
        for kind, data in _chunks(picture):
            keyword, _, text = data.partition(b"\0")
            if kind == b"tEXt" and keyword.startswith(start):
                texts.setdefault(keyword[len(start) :], text)
    except CardRefused:
        return texts
    return texts


def _from_png(content: bytes, file: str) -> Card:
    texts: dict[bytes, bytes] = {}
    for kind, data in _chunks(content):
        keyword = _text_keyword(kind, data)
        if keyword in _KEYWORDS and keyword not in texts:
            texts[keyword] = _unpacked(kind, data)
    problem: CardRefused | None = None
    for keyword in _KEYWORDS:
        if keyword in texts:
            try:
                return read_card_json(_decoded(texts[keyword]), file)
            except CardRefused as broken:  # the older chunk may be intact
                problem = problem or broken
    raise problem or CardRefused(problem="no_card")


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and data of each chunk, up to IEND or the end of a truncated file."""
    at = len(_PNG)
    while at + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, at)
        if at + 12 + length > len(content):
            raise CardRefused(problem="broken_png")
        kind = content[at + 4 : at + 8]
        yield kind, content[at + 8 : at + 8 + length]
        if kind == b"IEND":
            return
        at += 12 + length
    raise CardRefused(problem="broken_png")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _text_keyword(kind: bytes, data: bytes) -> bytes | None:
    return data.partition(b"\0")[0].lower() if kind in (b"tEXt", b"zTXt", b"iTXt") else None


def _unpacked(kind: bytes, data: bytes) -> bytes:
    rest = data.partition(b"\0")[2]
    if kind == b"zTXt":
        return _inflated(rest[1:])
    if kind == b"iTXt":
        packed, rest = rest[:1] == b"\1", rest[2:]
        for _ in ("language", "translated keyword"):
            rest = rest.partition(b"\0")[2]
        return _inflated(rest) if packed else rest
    return rest


def _inflated(data: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, 2 * MAX_CARD)
    except zlib.error:
        raise CardRefused(problem="broken_png") from None
    if unpacking.unconsumed_tail:
        raise CardRefused(problem="too_large", limit=MAX_CARD // 1024 // 1024)
    return text


def _decoded(text: bytes) -> bytes:
    compact = b"".join(text.split())
    if len(compact) > 2 * MAX_CARD:
        raise CardRefused(problem="too_large", limit=MAX_CARD // 1024 // 1024)
    if compact[:1] == b"{":  # some programs omit the base64 encoding
        return text
    try:
        return base64.b64decode(compact + b"=" * (-len(compact) % 4), validate=True)
    except binascii.Error:
        raise CardRefused(problem="not_json") from None


def _card_in_zip(content: bytes) -> bytes:
    try:
        card = read_entry(open_bytes(content, _MOST_ENTRIES), _CARD_JSON, MAX_CARD)
    except KeyError:
        raise CardRefused(problem="no_card") from None
    except BROKEN:
        raise CardRefused(problem="broken_zip") from None
    if len(card) > MAX_CARD:
        raise CardRefused(problem="too_large", limit=MAX_CARD // 1024 // 1024)
    return card


def _zip_with(content: bytes, card: bytes) -> bytes:
    """Return the zip with another card.json; other entries are copied in bounded chunks."""
    made = io.BytesIO()
    room = 4 * MAX_FILE
    try:
        old = open_bytes(content, _MOST_ENTRIES)
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
            for info in old.infolist():
                if info.filename == _CARD_JSON:
                    continue
                data = read_entry(old, info.filename, room)
                room -= len(data)
                if room < 0:
                    raise CardRefused(problem="too_large", limit=4 * MAX_FILE // 1024 // 1024)
                new.writestr(info, data)
            new.writestr(_CARD_JSON, card)
    except BROKEN:
        raise CardRefused(problem="broken_zip") from None
    return made.getvalue()


def _dump(raw: Mapping[str, object], *, indent: int | None = None) -> bytes:
    text = json.dumps(raw, ensure_ascii=False, indent=indent)
    try:
        return text.encode()
    except UnicodeEncodeError:  # an unpaired surrogate stays escaped
        return json.dumps(raw, ensure_ascii=True, indent=indent).encode()


PICTURE_BYTES = 16 * 1024 * 1024
_ALL_BYTES = 96 * 1024 * 1024
_MOST = 48
_EMBEDDED = re.compile(r"embed{1,2}ed://", re.IGNORECASE)  # the specification spells it with one d
_DATA = re.compile(r"data:image/[a-z+.-]+;base64,", re.IGNORECASE)
_CHUNK = re.compile(r"__asset:", re.IGNORECASE)
_NAME = re.compile(r"[\w-]+")
_KINDS = {b"\x89PNG": "png", b"RIFF": "webp", b"\xff\xd8\xff": "jpg", b"GIF8": "gif"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPictures:
    """``portrait``: the main icon, else the PNG that carries the card. ``emotions``: file names by mood. ``remote``:
    number of remote images that were skipped.
    """

    portrait: bytes | None = None
    emotions: dict[str, bytes] = field(default_factory=dict)
    remote: int = 0

    @property
    def files(self) -> dict[str, bytes]:
        """Return all images, named for conversion to a mood set; the portrait becomes the idle image."""
        rest = {f"main.{_kind(self.portrait)}": self.portrait} if self.portrait else {}
        return {**rest, **self.emotions}


def card_images(read: ReadCard) -> CardPictures:
    """Return the card's images. Never raises: unreadable ones are skipped."""
    portrait: bytes | None = None
    emotions: dict[str, bytes] = {}
    remote, room = 0, _ALL_BYTES
    embedded_images = _EmbeddedImages(read)
    for asset in _assets(read.card.fields):
        kind, uri, name = (str(asset.get(key) or "") for key in ("type", "uri", "name"))
        if kind not in ("icon", "emotion") or (kind == "icon" and (portrait or name not in ("main", ""))):
            continue
        if uri.lower().startswith(("http://", "https://")):
            remote += 1
            continue
        limit = min(PICTURE_BYTES, room)
        data = embedded_images.find(uri, limit)
        room -= len(data or b"")  # counts non-images too, since they had to be unpacked
        if data is None or len(data) > limit or not _kind(data):
            continue
        if kind == "icon":
            portrait = data
        else:
            file = f"{'_'.join(_NAME.findall(name))[:60] or 'normal'}.{_kind(data)}"
            emotions.setdefault(file, data)
    if portrait is None and read.carrier == "png" and len(read.content) <= PICTURE_BYTES:
        portrait = read.content
    return CardPictures(portrait=portrait, emotions=emotions, remote=remote)


class _EmbeddedImages:
    """Images embedded in the card's file, read lazily and never written to disk."""

    def __init__(self, read: ReadCard) -> None:
        self._read = read

    @cached_property
    def _chunks(self) -> dict[str, bytes]:
        chunks = text_chunks(self._read.content, b"chara-ext-asset_") if self._read.carrier == "png" else {}
        return {name.decode("latin-1").lstrip(":"): data for name, data in chunks.items()}

    @cached_property
    def _zip_file(self) -> zipfile.ZipFile:
        """Indexed once, since there may be many members."""
        return open_bytes(self._read.content, _MOST_ENTRIES)

    def find(self, uri: str, limit: int) -> bytes | None:
        if uri == "ccdefault:":
            return self._read.content if self._read.carrier == "png" else None
        if embedded := _EMBEDDED.match(uri):
            return self._member(uri[embedded.end() :], max(0, limit))
        if asset := _CHUNK.match(uri):
            packed = self._chunks.get(uri[asset.end() :])
            return None if packed is None else _decoded_image(packed)
        if data := _DATA.match(uri):
            return _decoded_image(uri[data.end() :].encode("ascii", "replace"))
        return None

    def _member(self, path: str, limit: int) -> bytes | None:
        """Return a member by its full name; one larger than ``limit`` is truncated to limit + 1 bytes."""
        if self._read.carrier != "charx":
            return None
        try:
            return read_entry(self._zip_file, path, limit)
        except BROKEN:  # missing, encrypted, unsupported compression, or truncated
            return None


def _assets(fields: Fields) -> Iterator[Fields]:
    assets = fields.get("assets")
    for asset in assets[:_MOST] if isinstance(assets, list) else []:
        if isinstance(asset, dict):
            yield asset


def _decoded_image(text: bytes) -> bytes | None:
    if len(text) > PICTURE_BYTES * 4 // 3 + 4:
        return None
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def _kind(data: bytes | None) -> str:
    """Return the file extension by magic bytes; "" if it is not an image."""
    return next((ending for start, ending in _KINDS.items() if data and data.startswith(start)), "")


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
