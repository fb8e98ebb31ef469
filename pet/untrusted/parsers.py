"""Parse untrusted JSON, TOML and YAML: of servers, models, cards, skins, and files that others can edit.

The only module that calls the parsers. Every failure is a ValueError: undecodable text, syntax, nesting deeper than
``MAX_DEPTH``, TOML keys of more than ``MAX_KEY_PARTS`` parts, integers longer than ``MAX_DIGITS``. A returned value
is never so deep that a recursive consumer exhausts the stack.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml
    from tomlkit import TOMLDocument

MAX_DEPTH = 64
"""Levels of lists and objects in one document."""
MAX_STORED_DEPTH = MAX_DEPTH + 16
"""Same, for our own lines, which wrap untrusted values."""
MAX_DIGITS = 40
"""Digits of one integer. Longer ones overflow a float."""
MAX_KEY_PARTS = 16
"""Parts of one TOML key: ``a.b.c`` has three. Parsers keep each prefix of a key, so memory grows by the square."""
MAX_KEY_DOTS = 10_000
"""Dots of all TOML keys together: a megabyte of keys within the limit of each took 800 MB."""

MAX_WRITTEN_MARKS = 50_000
"""Lines, commas, brackets and equals signs of a TOML document that is read for writing, whose parser is slow: half a
million took 14 s and 300 MB. A settings file has hundreds."""

_STRUCTURE = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_TOML_TOKEN = re.compile(
    r"""
    "{3} (?: [^"\\]++ | \\. | "{1,2}(?!") )*+ (?: "{3,5} | \\?\Z )  # a text of several lines; it may end in quotes
    | '{3} (?: [^']++ | '{1,2}(?!') )*+ (?: '{3,5} | \Z )
    | " (?: [^"\\\r\n]++ | \\[^\r\n] )*+ "?
    | ' [^'\r\n]*+ '?
    | \# [^\r\n]*+
    | (?P<dot> \. )
    | (?P<end> [\r\n=,\[\]{}] )
    """,
    re.DOTALL | re.VERBOSE,
)


class TooDeep(ValueError):
    """Nested deeper than the limit. ``line``: 1-based, 0 if unknown."""

    def __init__(self, line: int = 0) -> None:
        super().__init__()
        self.line = line


def read_json(
    source: str | bytes | bytearray,
    *,
    depth: int = MAX_DEPTH,
    parse_constant: Callable[[str], object] | None = None,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], object] | None = None,
) -> Any:
    """Return the value. Bytes are UTF-8, with or without a BOM. Raises ValueError."""
    text = source if isinstance(source, str) else bytes(source).decode("utf-8-sig")
    require_depth(text, depth)
    try:
        if parse_constant is None and object_pairs_hook is None:
            return _DECODER.decode(text)
        return json.loads(
            text, parse_int=_integer, parse_constant=parse_constant, object_pairs_hook=object_pairs_hook
        )
    except RecursionError:
        raise TooDeep from None


class NotAnObject(ValueError):
    """The JSON is valid and no object."""


def read_json_object(text: str) -> dict[str, Any]:
    """Return the JSON object that a model wrote as a tool call's arguments; an empty text is an empty object.

    Raises: NotAnObject, or another ValueError for text that is no JSON, or has NaN or Infinity in it.
    """
    value = read_json(text or "{}", parse_constant=_refuse_constant)
    if not isinstance(value, dict):
        raise NotAnObject
    return value


def join_surrogates(text: str) -> str:
    """Return the text with surrogate pairs joined and lone halves as U+FFFD: neither can be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def require_depth(text: str, depth: int = MAX_DEPTH) -> None:
    """Raise TooDeep if a JSON text nests deeper than ``depth``. Linear, and fast for texts with few brackets."""
    if text.count("[") + text.count("{") <= depth:
        return
    level = 0
    for token in _STRUCTURE.finditer(text):
        char = token[0][0]
        if char in "[{":
            level += 1
            if level > depth:
                raise TooDeep
        elif char != '"':
            level -= 1


def read_toml(content: bytes) -> dict[str, Any]:
    """Return the values. Raises ValueError."""
    text = content.decode("utf-8-sig")
    _require_short_keys(text)
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise TooDeep from None
    _require_value_depth(values)
    return values


def read_toml_document(content: bytes) -> TOMLDocument:
    """Return the document with its comments and order, for writing. Raises ValueError."""
    import tomlkit  # late: most starts write no settings

    text = content.decode("utf-8-sig")
    if _require_short_keys(text) > MAX_WRITTEN_MARKS:
        raise ValueError("too many values")
    try:
        document = tomlkit.parse(text)
        _require_value_depth(document)
    except RecursionError:
        raise TooDeep from None
    return document


def read_yaml_texts(text: str) -> Any:
    """Return YAML as texts, lists and mappings of texts. Tags build nothing, and aliases are refused: they expand
    exponentially. Raises ValueError.
    """
    import yaml  # late: only skills need it

    require_depth(text)  # the scanner takes time by the square of open brackets: 8 KB took 2 s
    try:
        value = yaml.load(text, Loader=_text_loader())  # noqa: S506  makes texts only
    except yaml.YAMLError as error:
        raise ValueError("not YAML") from error
    except RecursionError:
        raise TooDeep from None
    _require_value_depth(value)
    return value


def _require_short_keys(text: str) -> int:
    """Return how many lines, commas, brackets and equals signs a TOML text has. Linear. Raises TooDeep if a key has
    too many parts, or all keys together.

    Counts the dots between tokens that end a key; a value has one at most. Text after a syntax error does not matter:
    a parser stops there.
    """
    dots = all_dots = marks = 0
    for token in _TOML_TOKEN.finditer(text):
        if token.lastgroup == "end":
            all_dots += dots if token[0] in "=]" else 0
            dots = 0
            marks += 1
        elif token.lastgroup == "dot":
            dots += 1
            if dots >= MAX_KEY_PARTS or all_dots > MAX_KEY_DOTS:
                raise TooDeep(text.count("\n", 0, token.start()) + 1)
    return marks


def _require_value_depth(value: object, depth: int = MAX_DEPTH) -> None:
    level: list[object] = [value]
    for _ in range(depth + 1):
        inner: list[object] = []
        for each in level:
            if isinstance(each, dict):
                inner += each.values()
            elif isinstance(each, list):
                inner += each
        if not inner:
            return
        level = inner
    raise TooDeep


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError("integer too long")
    return int(digits)


@cache
def _text_loader() -> type[yaml.BaseLoader]:
    import yaml

    class Texts(yaml.BaseLoader):
        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("alias")
            return super().compose_node(parent, index)

    return Texts


_DECODER = json.JSONDecoder(parse_int=_integer)
