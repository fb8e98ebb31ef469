"""Dataclasses to JSON and back, by decoders compiled from type hints; and the version of stored formats.

Strict, for messages of a page or a socket: refuses unknown and missing fields, repeated keys, numbers that JavaScript
can't represent, lone surrogates, and texts over ``MAX_TEXT``. Lenient (``Reader``), for our own files of any version:
unknown fields are ignored. Errors name the place and never the value, which may be a key or a memory.

Files without a version number have version 1. Check before opening a file: one with a higher number was written by a
newer program, and is neither read nor written.

``settings.toml``, ``state.json`` and other small state have ``format`` each. The ``format`` of ``pet.toml`` is that
of the pet's whole folder: logs, history and sidecar files. Transcripts have a number in their first line, the search
index in SQLite's ``user_version``: an index is rebuilt, never refused.

>>> from pet.model import NotedText
>>> encode(NotedText(text="tea"))
'{"text":"tea","due":"","at":"","repeats":"","earlier":""}'
>>> decode(NotedText, '{"text":"tea","due":"2026-03-02"}').due
'2026-03-02'
>>> decode(NotedText, '{"due":"2026-03-02"}')
Traceback (most recent call last):
pet.errors.BadArguments: bad_arguments {'where': 'text', 'why': 'missing'}
"""

from __future__ import annotations

import json
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from pet.errors import BadArguments, NewerFormat, TextTooLong
from pet.untrusted.parsers import read_json

FORMAT = 1
KEY = "format"


def is_newer(values: Mapping[str, object]) -> bool:
    """Whether a newer program wrote these values. A value that is no whole number is ignored."""
    version = values.get(KEY)
    return isinstance(version, int) and not isinstance(version, bool) and version > FORMAT


def require_known(values: Mapping[str, object], file: str) -> None:
    """Raise NewerFormat if a newer program wrote these values."""
    if is_newer(values):
        raise NewerFormat(file=file)


MAX_TEXT = 2 * 1024 * 1024
"""Characters in one string."""
MAX_MESSAGE = 30 * 1024 * 1024
"""Characters in one JSON text, checked before parsing. A picture of 20 MiB in base64 fits."""
_MAX_INT = 2**53 - 1  # beyond it JavaScript's numbers are no longer exact

T = TypeVar("T")
Decoder = Callable[[Any], Any]
"""Function from JSON data to a value. Raises BadValue."""
Data = dict[str, object]


# --- out ----------------------------------------------------------------------------------------


def to_data(value: object) -> object:
    """Return plain dicts, lists and scalars. Raises TypeError for a value without a JSON form."""
    if value is None or type(value) in (str, bool, int, float):
        return value
    if isinstance(value, StrEnum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return fields_of(value)
    if isinstance(value, (list, tuple)):
        return [to_data(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): to_data(item) for name, item in value.items()}
    raise TypeError(f"{type(value).__name__} has no form on the wire")


def encode(value: object) -> str:
    """Return ASCII JSON: some web view backends count a script's characters but send bytes."""
    return json.dumps(to_data(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def fields_of(value: object) -> Data:
    """Return the fields of a dataclass as ``to_data`` writes them."""
    kind: Any = type(value)
    return {name: to_data(getattr(value, name)) for name in _field_names(kind)}


def vars_of(value: object) -> dict[str, Any]:
    """Return the fields of a dataclass, unconverted."""
    kind: Any = type(value)
    return {name: getattr(value, name) for name in _field_names(kind)}


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


# --- in -----------------------------------------------------------------------------------------


class BadValue(ValueError):
    """A value that does not match its hint. ``where`` is its path, built from the inside while this is raised."""

    def __init__(self, why: str, where: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.where = where

    def __str__(self) -> str:
        return f"{self.where}: {self.why}" if self.where else self.why

    def inside(self, step: str) -> BadValue:
        """Prefix the path with a field or an item."""
        self.where = f"{step}{'.' if self.where and self.where[0] not in '[{' else ''}{self.where}"
        return self


def decode(kind: type[T], text: str) -> T:
    """Return the dataclass in ``text``. Raises BadArguments, TextTooLong."""
    return from_data(kind, parse(text))


def from_data(kind: type[T], data: object) -> T:
    """Return the dataclass in parsed JSON. Raises BadArguments, TextTooLong."""
    try:
        return cast("T", _STRICT.decoder(kind)(data))
    except BadValue as bad:
        where = bad.where[:120]
        if bad.why == "too_long":
            raise TextTooLong(where=where, why=bad.why, limit=MAX_TEXT // 1024 // 1024) from None
        raise BadArguments(where=where, why=bad.why) from None


def parse(text: str) -> object:
    """Return the JSON value; keys must be unique, and NaN is refused. Raises BadArguments."""
    if len(text) > MAX_MESSAGE:
        raise BadArguments(where="", why="too_long")
    try:
        return read_json(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except ValueError:  # from None: the original quotes the text
        raise BadArguments(where="", why="json") from None


def check_decodable(kind: type) -> None:
    """Raise TypeError if a hint in ``kind`` has no decoder: a programming error, found at start and in tests."""
    _STRICT.decoder(kind)


def _unique(pairs: list[tuple[str, object]]) -> Data:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError("repeated key")
    return data


def _no_constant(_name: str) -> object:
    raise ValueError("no such number in JSON")


class Reader:
    """Decoders compiled from type hints, each once.

    Lenient: unknown fields are ignored, and a missing field becomes None or empty if its hint allows it. ``own``:
    decoders for special hints; ``before``: by dataclass, a function applied to its data first.
    """

    def __init__(
        self,
        *,
        scalars: Mapping[Any, Decoder],
        lenient: bool = False,
        own: Mapping[Any, Decoder] | None = None,
        before: Mapping[type, Callable[[Data], Data]] | None = None,
    ) -> None:
        self._scalars = scalars
        self._lenient = lenient
        self._before = before or {}
        self._made: dict[Any, Decoder] = {**scalars, **(own or {})}

    def decoder(self, hint: Any) -> Decoder:
        """Return the decoder of a hint. Raises TypeError for a hint without a JSON form."""
        made = self._made.get(hint)
        if made is None:
            made = self._made[hint] = self._make(hint)
        return made

    def _make(self, hint: Any) -> Decoder:
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Literal:
            return _choice({value: value for value in arguments})
        if origin in (Union, types.UnionType):
            return self._union(arguments)
        if origin is list:
            return _items(self.decoder(arguments[0]), list)
        if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
            return _items(self.decoder(arguments[0]), tuple)
        if origin is dict and arguments[0] is str:
            return _dict(self.decoder(str), self.decoder(arguments[1]))
        if isinstance(hint, type) and issubclass(hint, StrEnum):
            return _choice({member.value: member for member in hint})
        if isinstance(hint, type) and is_dataclass(hint):
            return self._dataclass(hint)
        raise TypeError(f"{hint} has no form in JSON")

    def _union(self, members: tuple[Any, ...]) -> Decoder:
        """Return a decoder for ``X | None`` or a union of scalars; others would need a tag."""
        rest = tuple(member for member in members if member is not types.NoneType)
        nullable = len(rest) < len(members)
        inner = self.decoder(rest[0]) if len(rest) == 1 else self._scalar_union(rest)

        def read(value: object) -> object:
            return None if value is None and nullable else inner(value)

        return read

    def _scalar_union(self, members: tuple[Any, ...]) -> Decoder:
        if not all(member in self._scalars for member in members):
            raise TypeError(f"a union of {members} has no tag in JSON")
        scalars = {member: self._scalars[member] for member in members}

        def read(value: object) -> object:
            decoder = scalars.get(type(value))
            if decoder is None:
                raise BadValue("scalar")
            return decoder(value)

        return read

    def _dataclass(self, kind: type) -> Decoder:
        hints = typing.get_type_hints(kind)
        readers = {field.name: self.decoder(hints[field.name]) for field in fields(kind)}
        plain = {name: hint for name, hint in hints.items() if self._scalars.get(hint) in _AS_THEY_ARE}
        required = {field.name for field in fields(kind) if field.default is field.default_factory is MISSING}
        defaults = {name: _absent(hints[name]) for name in required if self._lenient}
        defaults = {name: value for name, value in defaults.items() if value is not MISSING}
        required -= defaults.keys()
        lenient, before, all_fields = self._lenient, self._before.get(kind), len(readers)

        def read(value: object) -> object:
            if not isinstance(value, dict):
                raise BadValue("object")
            if before is not None:
                value = before(value)
            given = {**defaults}
            for name, part in value.items():
                if part.__class__ is plain.get(name, MISSING):  # no call for most fields of a transcript
                    given[name] = part
                    continue
                reader = readers.get(name)
                if reader is not None:
                    try:
                        given[name] = reader(part)
                    except BadValue as bad:
                        raise bad.inside(name) from None
                elif not lenient:
                    raise BadValue("unknown_field")  # not named: the name is the caller's text
            if len(given) < all_fields and not required <= given.keys():
                raise BadValue("missing", next(name for name in readers if name in required - given.keys()))
            return kind(**given)

        return read


def _absent(hint: Any) -> Any:
    """Return the value of a missing field in a file: None or (), if its hint allows it; else MISSING."""
    if types.NoneType in get_args(hint):
        return None
    return () if get_origin(hint) is tuple else MISSING


def _strict_text(value: object) -> str:
    if not isinstance(value, str):
        raise BadValue("text")
    if len(value) > MAX_TEXT:
        raise BadValue("too_long")
    try:
        value.encode()  # a lone surrogate can't be written to a file
    except UnicodeEncodeError:
        raise BadValue("characters") from None
    return value


def read_text(value: object) -> str:
    if not isinstance(value, str):
        raise BadValue("text")
    return value


def read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise BadValue("flag")
    return value


def read_int(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadValue("integer")
    return value


def _exact_int(value: object) -> int:
    number = read_int(value)
    if abs(number) > _MAX_INT:
        raise BadValue("integer")
    return number


def read_float(value: object) -> float:
    if isinstance(value, int):  # JavaScript writes 1.0 as 1
        return float(_exact_int(value))
    if not isinstance(value, float) or not math.isfinite(value):
        raise BadValue("number")
    return value


def _choice(members: Mapping[str, object]) -> Decoder:
    def read(value: object) -> object:
        if not isinstance(value, str) or value not in members:
            raise BadValue("choice")
        return members[value]

    return read


def _items(item: Decoder, make: Callable[[list[object]], object]) -> Decoder:
    def read(value: object) -> object:
        if not isinstance(value, list):
            raise BadValue("list")
        items = []
        try:
            for part in value:
                items.append(item(part))  # noqa: PERF401  the length is the index of a bad item
        except BadValue as bad:
            raise bad.inside(f"[{len(items)}]") from None
        return make(items)

    return read


def _dict(key: Decoder, item: Decoder) -> Decoder:
    def read(value: object) -> object:
        if not isinstance(value, dict):
            raise BadValue("object")
        try:
            return {key(name): item(part) for name, part in value.items()}
        except BadValue as bad:
            raise bad.inside("{}") from None

    return read


_AS_THEY_ARE = {read_text: str, read_flag: bool, read_int: int}
"""Decoders that return a value of exactly their type unchanged."""

FILE_SCALARS: Mapping[Any, Decoder] = {str: read_text, bool: read_flag, int: read_int, float: read_float}
"""For a lenient reader of our own files."""

_STRICT = Reader(scalars={str: _strict_text, bool: read_flag, int: _exact_int, float: read_float})
