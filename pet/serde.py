"""Dataclasses as JSON and back: what a page or a socket may say, checked to the last field.

Owns the encoding and the strict decoder compiled from type hints. Refuses unknown and missing fields, repeated keys,
numbers that JavaScript can't hold, half surrogates, and texts over ``MAX_TEXT``; its errors name the place and never
the value, which may be a key or a memory.
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

from pet.errors import BadArguments, TextTooLong
from pet.outside_data import read_json

MAX_TEXT = 2 * 1024 * 1024
"""Characters in one string."""
MAX_MESSAGE = 30 * 1024 * 1024
"""Characters in one JSON text; checked before it is parsed. A picture of 20 MiB in base64 fits in."""
_MAX_INT = 2**53 - 1  # beyond it JavaScript's numbers are no longer exact

T = TypeVar("T")
Decoder = Callable[[object, str], Any]
Data = dict[str, object]


# --- out ----------------------------------------------------------------------------------------


def to_data(value: object) -> object:
    """Plain dicts, lists and scalars. Raises TypeError for what has no form on the wire."""
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
    """ASCII JSON: some backends measure a script in characters and send it in bytes."""
    return json.dumps(to_data(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def fields_of(value: object) -> Data:
    """The fields of a dataclass as ``to_data`` writes them."""
    kind: Any = type(value)
    return {name: to_data(getattr(value, name)) for name in _field_names(kind)}


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


# --- in -----------------------------------------------------------------------------------------


def decode(kind: type[T], text: str) -> T:
    """The dataclass ``text`` stands for. Raises BadArguments for anything that is not exactly one."""
    return from_data(kind, parse(text))


def from_data(kind: type[T], data: object) -> T:
    """As ``decode``, of JSON that is parsed already."""
    hint: Any = kind
    return cast("T", _decoder(hint)(data, ""))


def parse(text: str) -> object:
    """JSON with unique keys and no NaN. Raises BadArguments."""
    if len(text) > MAX_MESSAGE:
        raise _bad("", "too_long")
    try:
        return read_json(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except ValueError:  # from None: the original quotes the text
        raise _bad("", "json") from None


def check_decodable(kind: type) -> None:
    """Raises TypeError if a hint in ``kind`` has no decoder: a mistake in the table, found at start and in tests."""
    _decoder(kind)


def _unique(pairs: list[tuple[str, object]]) -> Data:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError("repeated key")
    return data


def _no_constant(_name: str) -> object:
    raise ValueError("no such number in JSON")


def _bad(where: str, why: str) -> BadArguments:
    return BadArguments(where=where[:120], why=why)


@cache
def _decoder(hint: Any) -> Decoder:
    scalar = _SCALARS.get(hint)
    if scalar is not None:
        return scalar
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _choice(frozenset(arguments), str)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _choice(frozenset(member.value for member in hint), hint)
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is list:
        return _list(_decoder(arguments[0]))
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _tuple(_decoder(arguments[0]))
    if origin is dict and arguments[0] is str:
        return _dict(_decoder(arguments[1]))
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass(hint)
    raise TypeError(f"{hint} has no form on the wire")


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise _bad(where, "text")
    if len(value) > MAX_TEXT:
        raise TextTooLong(where=where[:120], why="too_long", limit=MAX_TEXT // 1024 // 1024)
    try:
        value.encode()  # half a surrogate pair could not be written to any file later
    except UnicodeEncodeError:
        raise _bad(where, "characters") from None
    return value


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise _bad(where, "flag")
    return value


def _int(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _MAX_INT:
        raise _bad(where, "integer")
    return value


def _float(value: object, where: str) -> float:
    if isinstance(value, int):  # JavaScript writes 1.0 as 1
        return float(_int(value, where))
    if not isinstance(value, float) or not math.isfinite(value):
        raise _bad(where, "number")
    return value


_SCALARS: Mapping[Any, Decoder] = {str: _text, bool: _flag, int: _int, float: _float}


def _choice(values: frozenset[str], make: Callable[[str], object]) -> Decoder:
    def read(value: object, where: str) -> object:
        if not isinstance(value, str) or value not in values:
            raise _bad(where, "choice")
        return make(value)

    return read


def _union(members: tuple[Any, ...]) -> Decoder:
    """``X | None``, and unions of scalars. Others would need a tag, and only events have one."""
    rest = tuple(member for member in members if member is not types.NoneType)
    nullable = len(rest) < len(members)
    inner = _decoder(rest[0]) if len(rest) == 1 else _scalar_union(rest)

    def read(value: object, where: str) -> object:
        return None if value is None and nullable else inner(value, where)

    return read


def _scalar_union(members: tuple[Any, ...]) -> Decoder:
    if not all(member in _SCALARS for member in members):
        raise TypeError(f"a union of {members} has no tag on the wire")

    def read(value: object, where: str) -> object:
        decoder = _SCALARS.get(type(value)) if type(value) in members else None
        if decoder is None:
            raise _bad(where, "scalar")
        return decoder(value, where)

    return read


def _list(item: Decoder) -> Decoder:
    def read(value: object, where: str) -> object:
        if not isinstance(value, list):
            raise _bad(where, "list")
        return [item(part, f"{where}[{at}]") for at, part in enumerate(value)]

    return read


def _tuple(item: Decoder) -> Decoder:
    read_list = _list(item)

    def read(value: object, where: str) -> object:
        found = read_list(value, where)
        assert isinstance(found, list)
        return tuple(found)

    return read


def _dict(item: Decoder) -> Decoder:
    def read(value: object, where: str) -> object:
        if not isinstance(value, dict):
            raise _bad(where, "object")
        return {_text(name, where): item(part, f"{where}{{}}") for name, part in value.items()}

    return read


def _dataclass(kind: type) -> Decoder:
    hints = typing.get_type_hints(kind)
    readers = {field.name: _decoder(hints[field.name]) for field in fields(kind)}
    required = [field.name for field in fields(kind) if field.default is field.default_factory is MISSING]

    def read(value: object, where: str) -> object:
        if not isinstance(value, dict):
            raise _bad(where, "object")
        dot = f"{where}." if where else ""
        if not value.keys() <= readers.keys():
            raise _bad(where, "unknown_field")  # its name is the caller's text, so it is not repeated
        for name in required:
            if name not in value:
                raise _bad(f"{dot}{name}", "missing")
        return kind(**{name: readers[name](part, f"{dot}{name}") for name, part in value.items()})

    return read
