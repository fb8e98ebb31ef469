"""Detect the format of an import source by its content, and read it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, Final

from pet.errors import ImportRefused
from pet.extras.imports.card import CardRefused, read_card
from pet.extras.imports.chat_exports import READERS, characters, memory_text, read_chats, read_head
from pet.extras.imports.contents import Kind, Skipped, SourceContents, Talk, left_behind
from pet.extras.imports.markdown_files import is_vault, is_workspace, read_memory_list, read_vault, read_workspace
from pet.extras.imports.source import ImportSource
from pet.model import CoreFile
from pet.untrusted.parsers import MAX_DEPTH, TooDeep, read_json

MAX_ITEM = 64 << 20
"""Bytes of one object."""
MAX_VALUES = 2_000_000
"""Objects and arrays within one object, each of at least 56 bytes in memory. 100,000 messages have about 800,000."""
MAX_SCALARS = 5_000_000
"""Texts and numbers within one object: 62 MB of short texts took 1.1 GB."""
TOO_LARGE: Final = object()
_LISTS = (b'"conversations"', b'"data"')
"""Keys under which an export lists its conversations; "data" is Qwen Chat's."""
_CHUNK = 1 << 20
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)
_SEPARATOR = re.compile(rb'"(?:[^"\\]++|\\.)*+"|,', re.DOTALL)


def read_objects(stream: BinaryIO, limit: int = MAX_ITEM, most: int = MAX_VALUES) -> Iterator[Any]:
    """Yield the objects of the array, or the single top-level object; of one that lists conversations, the objects of
    its lists from there on. Raises ValueError for invalid JSON."""
    held = bytearray()
    place = level = start = values = 0
    outer: int | None = None  # the level of the array's own bracket: 1, 2 within an object, or 0 for a single object
    key = b""
    skipping = False
    while chunk := stream.read(_CHUNK):
        if outer is None:
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        held += chunk
        done = len(held)
        for token in _TOKEN.finditer(held, place):
            char = token[0]
            if len(char) > 1:
                if level == 1:
                    key = char if char in _LISTS else b""
                continue
            if char == b'"':  # incomplete: matched again with the next chunk
                done = token.start()
                break
            if outer is None:
                outer = 1 if char == b"[" else 0
            if char in b"[{":
                if outer == 0 and level == 1 and char == b"[" and key:
                    outer, skipping = 2, False
                if level == outer and char == b"{":
                    start, values = token.start(), 0
                level += 1
                values += 1
                if level > MAX_DEPTH + outer:
                    raise TooDeep
                continue
            level -= 1
            if level < 0:
                raise ValueError("unbalanced")
            if level == outer and char == b"}":
                item = bytes(held[start : token.end()])
                yield TOO_LARGE if skipping or values > most or _has_too_many(item) else read_json(item)
                skipping, start = False, token.end()
        if outer is None and len(held) > _CHUNK:
            raise ValueError("not JSON")
        keep = start if outer is not None and level > outer and not skipping else done
        if len(held) - keep > limit:  # of an object over the limit only the brackets are counted
            if done == keep:
                raise ValueError("a text too long")
            skipping, keep = True, done
        del held[:keep]
        place, start = done - keep, 0
    if level != 0 or outer is None:
        raise ValueError("cut off")


def _has_too_many(item: bytes) -> bool:
    """Whether it has more scalars than the limit; commas within texts don't count."""
    if item.count(b",") <= MAX_SCALARS:
        return False
    commas = (match for match in _SEPARATOR.finditer(item) if match[0] == b",")
    return next(islice(commas, MAX_SCALARS, None), None) is not None


_EXPORT = re.compile(
    r"(?:[^/]+/)?(?:conversations(?:-\d+)?|(?:all-)?chats?-export-[^/]*)\.json|(?:.+/)?prod-grok-backend\.json"
)
_MEMORIES = re.compile(r"(?:[^/]+/)?memories\.json")
_LIST = re.compile(r".*\.(?:md|txt)", re.IGNORECASE)
_NO_LIST = re.compile(r"(?:^|/)(?:SOUL|USER|IDENTITY|AGENTS|TOOLS|HEARTBEAT|BOOTSTRAP)\.md$", re.IGNORECASE)
"""A single file of a workspace, which is not a memory list."""
_CARD = re.compile(r"[^/]+\.(?:png|json|charx)", re.IGNORECASE)
_MAX_CARD = 64 << 20
_TRIES = 50  # conversations examined to detect the service


def find(
    source: ImportSource, *, instructions: bool = False, folders: Collection[str] | None = None
) -> SourceContents:
    """Return what can be imported. ``folders``: of a vault's root, None for all. Raises ImportRefused for an unknown
    format."""
    try:
        contents = _find(source, instructions=instructions, folders=folders)
    except ImportRefused as refused:
        if refused.problem == "unknown" and next(_cards(source), None) is not None:
            raise ImportRefused(problem="card", file=source.name) from None
        raise
    links = () if contents.kind == "workspace" else (Skipped(link, "link") for link in source.links)
    closed = (Skipped(name, reason) for name, reason in source.closed)
    contents.skipped = list(dict.fromkeys((*contents.skipped, *closed, *links)))
    return contents


def _find(source: ImportSource, *, instructions: bool, folders: Collection[str] | None) -> SourceContents:
    exports = [name for name in source.names if _EXPORT.fullmatch(name)]
    memories = [name for name in source.names if _MEMORIES.fullmatch(name)]
    if not exports and not memories and len(source.names) == 1 and source.names[0].lower().endswith(".json"):
        exports = list(source.names)
    if exports or memories:
        return _export(source, exports, memories)
    if len(source.names) == 1 and _LIST.fullmatch(source.names[0]) and not _NO_LIST.search(source.names[0]):
        return _list(source, source.names[0])
    chats = [name for name in source.names if name.lower().endswith(".jsonl") and read_head(source, name)]
    if chats:
        return _tavern(source, chats)
    if is_workspace(source):
        return read_workspace(source, instructions=instructions)
    if is_vault(source):
        return read_vault(source, folders)
    raise ImportRefused(problem="unknown", file=source.name)


def _export(source: ImportSource, exports: list[str], memories: list[str]) -> SourceContents:
    kind = next((kind for name in exports if (kind := _kind(source, name)) is not None), None)
    if kind is None and not memories:
        raise ImportRefused(problem="unknown", file=source.name)
    contents = SourceContents(kind=kind or "claude")
    if kind is not None:
        contents.talks = partial(_talks, source, exports, kind, contents)
    _add_memories(source, memories, contents)
    contents.skipped += left_behind(source.names, {*exports, *memories})
    return contents


def _kind(source: ImportSource, name: str) -> Kind | None:
    """Return the service by the first recognisable conversation."""
    for item in islice((item for item in _objects(source, name) if item is not TOO_LARGE), _TRIES):
        for kind, (known, _read) in READERS.items():
            if known(item):
                return kind
    return None


def _talks(source: ImportSource, names: list[str], kind: Kind, contents: SourceContents) -> Iterator[Talk]:
    known, read = READERS[kind]
    contents.left_out.clear()
    for name in names:
        for item in _objects(source, name):
            if known(item):
                yield read(item)
            else:
                contents.left_out["too_large" if item is TOO_LARGE else "other"] += 1


def _objects(source: ImportSource, name: str) -> Iterator[Any]:
    with source.open(name) as opened:
        try:
            yield from read_objects(opened)
        except ValueError:
            raise ImportRefused(problem="broken_json", file=name) from None


def _add_memories(source: ImportSource, names: list[str], contents: SourceContents) -> None:
    for name in names:
        data = source.read(name)
        if data is None:
            contents.skipped.append(Skipped(name, "too_large"))
            continue
        try:
            text = memory_text(read_json(data))
        except ValueError:
            contents.skipped.append(Skipped(name, "not_text"))
            continue
        if text:
            before = contents.files.get(CoreFile.MEMORY.value)
            contents.files[CoreFile.MEMORY.value] = f"{before}\n\n{text}" if before else text


def _list(source: ImportSource, name: str) -> SourceContents:
    text = source.text(name)
    if text is None:
        raise ImportRefused(problem="unknown", file=name)
    bullets = read_memory_list(text)
    return SourceContents(kind="memory_list", files={CoreFile.MEMORY.value: bullets} if bullets else {})


def _tavern(source: ImportSource, chats: list[str]) -> SourceContents:
    contents = SourceContents(kind="sillytavern", talks=partial(read_chats, source, chats))
    cards = list(_cards(source))
    speaking = characters(source, chats[0]) if len(cards) > 1 else frozenset[str]()
    chosen = next((name for name, character in cards if character in speaking or len(cards) == 1), None)
    content = source.read(chosen, _MAX_CARD) if chosen is not None else None
    if content is not None:
        contents.card = read_card(content, chosen or "")
    contents.skipped += [Skipped(name, "other_card") for name, _character in cards if name != chosen]
    contents.skipped += left_behind(source.names, {*chats, *(name for name, _character in cards)})
    return contents


def _cards(source: ImportSource) -> Iterator[tuple[str, str]]:
    """Yield the character cards of the top folder: file name and character's name."""
    for name in source.names:
        content = source.read(name, _MAX_CARD) if _CARD.fullmatch(name) else None
        if content is not None:
            with suppress(CardRefused):
                yield name, read_card(content, name).card.name
