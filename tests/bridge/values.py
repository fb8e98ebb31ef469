"""Values of any type that goes over the wire: one plain sample, or Hypothesis strategies, both from type hints."""

from __future__ import annotations

import types
import typing
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st

from pet.bridge.emitter import EVENT_TYPES
from pet.events import Event
from pet.serde import from_data
from ui.bindings import COMMANDS

DTOS: tuple[type, ...] = tuple(dict.fromkeys(kind for row in COMMANDS for kind in (row.args, row.reply)))
EVENTS: tuple[type, ...] = tuple(EVENT_TYPES.values())

_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=40),
    bool: st.booleans(),
    int: st.integers(-(2**53) + 1, 2**53 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False, width=32),
    types.NoneType: st.none(),
}
_SAMPLES: dict[Any, Any] = {str: "text", bool: True, int: 3, float: 1.5, types.NoneType: None}


def values(hint: Any) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of([values(argument) for argument in arguments])
    if origin is list:
        return st.lists(values(arguments[0]), max_size=3)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(values(arguments[0]), values(arguments[1]), max_size=3)
    if issubclass(hint, StrEnum):
        return st.sampled_from(list(hint))
    hints = typing.get_type_hints(hint)
    return st.builds(hint, **{field.name: values(hints[field.name]) for field in fields(hint)})


def sample(hint: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _SAMPLES:
        return _SAMPLES[hint]
    if origin is Literal or origin in (Union, types.UnionType):
        return arguments[0] if origin is Literal else sample(arguments[0])
    if origin is list:
        return [sample(arguments[0])]
    if origin is tuple:
        return (sample(arguments[0]),)
    if origin is dict:
        return {"name": sample(arguments[1])}
    if not is_dataclass(hint):
        return next(iter(hint))
    hints = typing.get_type_hints(hint)
    make: Any = hint
    return make(**{field.name: sample(hints[field.name]) for field in fields(hint)})


def event_from(data: dict[str, object]) -> Event:
    """The event that ``event_data`` wrote."""
    rest = dict(data)
    event: Event = from_data(EVENT_TYPES[str(rest.pop("type"))], rest)
    return event
