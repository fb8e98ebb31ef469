"""Parse untrusted JSON, TOML, YAML, XML and text in any encoding: of servers, models, cards, skins, documents, and
files that others can edit.

The only module that calls the parsers. XML is read as events, in bounded memory. Every failure is a ValueError:
undecodable text, syntax, nesting deeper than ``MAX_DEPTH`` (of XML ``MAX_XML_DEPTH``), TOML keys of more than
``MAX_KEY_PARTS`` parts, integers longer than ``MAX_DIGITS``. A returned value is never so deep that a recursive
consumer exhausts the stack.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml
    from tomlkit import TOMLDocument

MAX_DEPTH = 64
"""Levels of lists and objects in one document."""
MAX_STORED_DEPTH = MAX_DEPTH + 16
"""Same, for our own lines, which wrap untrusted values."""
MAX_XML_DEPTH = 256
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


_LABELS = {
    "utf-8-sig": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "utf-16": "csunicode iso-10646-ucs-2 ucs-2 unicode utf-16",
    "utf-16-le": "unicodefeff utf-16le",
    "utf-16-be": "unicodefffe utf-16be",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e"
    " iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7"
    " iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598"
    " iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591"
    " iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5"
    " windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022-jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601"
    " windows-949",
}


def codec_of(label: str) -> str:
    """Return the name of Python's codec for a declared encoding, "" for one that the web doesn't know.

    >>> codec_of("GB2312"), codec_of("latin1"), codec_of("punycode")
    ('gb18030', 'cp1252', '')
    """
    return _codecs().get(label.strip().lower(), "")


@cache
def _codecs() -> dict[str, str]:
    return {label: codec for codec, labels in _LABELS.items() for label in labels.split()}


_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_SAMPLED = 200_000
"""Bytes by which an encoding is guessed: the detector tries dozens of encodings on them."""


def decode_foreign_text(content: bytes, declared: str = "") -> str:
    """Return the text in its encoding: as declared if that is one of the web, UTF-8, or guessed. Raises ValueError
    for what is no text."""
    for codec in filter(None, (codec_of(declared), "utf-8-sig")):
        with suppress(UnicodeDecodeError):
            return content.decode(codec).removeprefix("\ufeff")
    if not content.startswith(_WIDE) and _CONTROLS.search(content):
        raise ValueError("no text")
    from charset_normalizer import from_bytes  # late: most texts are UTF-8

    best = from_bytes(content[:_SAMPLED]).best()
    if best is None:
        raise ValueError("no text")
    return content.decode(best.encoding, "replace").removeprefix("\ufeff")


Start = Callable[[str, Mapping[str, str]], object]
End = Callable[[str], object]


def walk_xml(chunks: Iterable[bytes], *, start: Start, end: End, text: Callable[[str], object]) -> None:
    """Call the functions with each element's name and attributes, its end, and the text between, in order.

    Names are as written, prefix included. Raises ValueError for broken XML, a document type, an encoding that the web
    doesn't know, and more than ``MAX_XML_DEPTH`` levels; what the functions raise passes through.
    """
    from xml.parsers import expat  # late: only drawings and documents need it

    depth = 0

    def open_element(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_XML_DEPTH:
            raise ValueError("nested too deeply")
        start(name, attributes)

    def close_element(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.XmlDeclHandler = _check_encoding
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = open_element
    parser.EndElementHandler = close_element
    parser.CharacterDataHandler = text
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ValueError("not XML") from error


def _check_encoding(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding is not None and not codec_of(encoding):
        raise ValueError("an unknown encoding")


def _refuse_doctype(*_details: object) -> None:
    raise ValueError("a document type")
