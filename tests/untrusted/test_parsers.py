"""Untrusted JSON, TOML and YAML: depth, length of numbers and syntax errors raise ValueError, not RecursionError."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import pet
from pet.extras.imports.card import CardRefused, read_card_json
from pet.model import Message, Request, SystemBlock, TextPart, ToolCallPart, ToolResultPart
from pet.providers.anthropic_messages import encode_request
from pet.providers.openai_messages import encode_request as encode_chat_request
from pet.providers.quirks import quirks_of
from pet.transcripts.entry_codec import decode_entry
from pet.untrusted.parsers import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_KEY_PARTS,
    TooDeep,
    read_json,
    read_toml,
    read_toml_document,
    read_yaml_texts,
)
from pet.workspace.tombstones import TombstoneStore

PARSERS = frozenset({"json.loads", "json.load", "tomllib.loads", "tomllib.load", "tomlkit.parse", "yaml.load"})
OWN_FILES = frozenset(
    {
        "body/bodies.py",
        "i18n/__init__.py",
        "untrusted/parsers.py",
        "extras/small_models/decisions.py",
        "language/__init__.py",
        "memory/__init__.py",
    }
)
"""The parsers' module, and modules that read data shipped with the program: catalogues and weights."""

DEPTHS = [MAX_DEPTH + 1, 700, 5_000, 100_000]


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("opener", ["[", '{"a":', '[{"b\\"]":'])
def test_json_deeper_than_the_limit_is_refused(opener: str, depth: int) -> None:
    closer = "".join("]" if char == "[" else "}" for char in reversed(opener.replace('"b\\"]":', "")) if char in "[{")
    text = opener * depth + "0" + closer * depth
    with pytest.raises(TooDeep):
        read_json(text)
    with pytest.raises(TooDeep):
        read_json(text.encode())
    with pytest.raises(ValueError):  # also unclosed
        read_json(opener * depth)


def test_json_up_to_the_limit_is_read_and_brackets_in_texts_do_not_count() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert json.dumps(read_json(text)) == text
    many = json.dumps([[1], {"a": "[" * 500 + '\\"' + "{" * 500}] * 100)
    assert read_json("﻿".encode() + many.encode()) == json.loads(many)


def test_integers_longer_than_the_limit_are_refused() -> None:
    assert read_json("9" * MAX_DIGITS) == int("9" * MAX_DIGITS)
    for digits in (MAX_DIGITS + 1, 400, 5_000):
        with pytest.raises(ValueError):
            read_json('{"order": ' + "9" * digits + "}")


@pytest.mark.parametrize("depth", DEPTHS[:3])
def test_deep_toml_and_yaml_are_refused(depth: int) -> None:
    for content in ("a = " + "[" * depth + "]" * depth, ".".join("a" * depth) + " = 1"):
        with pytest.raises(ValueError):
            read_toml(content.encode())
        with pytest.raises(ValueError):
            read_toml_document(content.encode())
    with pytest.raises(ValueError):
        read_yaml_texts("a: " + "[" * depth + "]" * depth)


MANY = [MAX_KEY_PARTS + 1, 1_700, 24_000]
KEYS: dict[str, Callable[[int], str]] = {
    "bare": lambda many: ".".join("a" * many) + " = 1",
    "quoted": lambda many: ".".join(["'a'", '"b\\"."', "c"] * many) + " = 1",
    "spaced": lambda many: " .\t".join("a" * many) + " = 1",
    "without names": lambda many: "." * many,
    "table": lambda many: "[" + ".".join("a" * many) + "]",
    "array of tables": lambda many: "[[ " + ".".join("a" * many) + " ]]",
    "inline table": lambda many: "x = {y = 1.5, " + ".".join("a" * many) + " = 1}",
    "in an array": lambda many: "x = [1.5, {" + ".".join("a" * many) + " = 1}]",
    "never ended": lambda many: ".".join("a" * many),
}
BEFORE = {
    "nothing": "",
    "texts": "x = \"a\"\ny = 'it\\'\n",
    "a comment": '# don\'t say """\n',
    "a comment of Windows": "# don't say '''\r\n",
    "texts of several lines": 'x = """a\n\\""" b"""\ny = \'\'\'\n"""\'\'\'\n',
    "texts that end in quotes": 'x = """a"""""\ny = \'\'\'a\'\'\'\'\n',
    "quotes within texts": 'x = """a""b"c"""\n',
    "empty texts": "x = ['', \"\", \"\"\"\"\"\", '''''']\n",
    "a mark": "\ufeff",
}


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("before", BEFORE)
def test_a_toml_key_of_many_parts_reaches_no_parser(
    monkeypatch: pytest.MonkeyPatch, before: str, key: str, many: int
) -> None:
    """Memory grows by the square of its parts: 48 KB of them took 2.2 GB."""
    content = (BEFORE[before] + KEYS[key](many)).encode()
    for parser in ("tomllib.loads", "tomlkit.parse"):
        monkeypatch.setattr(parser, lambda *_: pytest.fail("the parser was called"))
    for read in (read_toml, read_toml_document):
        with pytest.raises(TooDeep):
            read(content)


@pytest.mark.parametrize("text", ['{x = """a"""", ', "{x = '''a'''', ", '{x = """a""""", ', "[{x = '#', "])
def test_what_stands_after_a_text_that_ends_in_a_quote_is_counted(text: str) -> None:
    def content(parts: int) -> bytes:
        return f"t = {text}{'.'.join('a' * parts)} = 1}}{']' * text.count('[')}".encode()

    for read in (read_toml, read_toml_document):
        read(content(MAX_KEY_PARTS))
        with pytest.raises(TooDeep):
            read(content(MAX_KEY_PARTS + 1))


def test_a_toml_key_that_is_refused_has_its_line() -> None:
    with pytest.raises(TooDeep) as refused:
        read_toml(f'a = """\n\n"""\n# b\n{".".join("c" * 99)} = 1'.encode())
    assert refused.value.line == 5


@pytest.mark.parametrize("parse", [read_toml, read_toml_document])
def test_many_toml_keys_of_many_parts_are_refused(parse: Callable[[bytes], object]) -> None:
    """Each within the limit of one key, a megabyte of them took 800 MB and 16 seconds."""
    keys = "\n".join(f"k{number}{'.a' * (MAX_KEY_PARTS - 1)}=1" for number in range(700))
    with pytest.raises(TooDeep):
        parse(keys.encode())
    assert parse("\n".join(f"k{number}.a=1.5" for number in range(4_000)).encode())


@pytest.mark.parametrize("text", ["a=[" + "1," * 500_000 + "]", "[a]\n" * 200_000, "k=1\n" * 250_000])
def test_toml_of_many_values_reaches_no_parser_for_writing(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("tomlkit.parse", lambda *_: pytest.fail("the parser was called"))
    with pytest.raises(ValueError):
        read_toml_document(text.encode())


def test_dots_that_part_no_key_are_not_counted() -> None:
    many = "." * 5_000
    lines = (
        f'basic = "{many}"',
        f"literal = '{many}'",
        f'lines = """\n{many}\n\\"{many}"""',
        f"raw = '''\n{many}\n'''",
        f"# {many}",
        f"numbers = [{', '.join(['1.5'] * 500)}]",
        "days = [1979-05-27T07:32:00.999, 07:32:00.5]",
        f'"{many}".{".".join("a" * (MAX_KEY_PARTS - 1))} = 1  # {many}',
        f'inline = {{ "{many}" = "{many}", b.c = 1.5 }}',
        f'[tables."{many}".c]',
        *(f"k{at}.b.c = 0.5" for at in range(200)),
    )
    content = "\n".join(lines).encode()
    assert read_toml(content) == read_toml_document(content).unwrap()
    assert read_toml(content.replace(b"\n", b"\r\n"))["numbers"] == [1.5] * 500


@pytest.mark.parametrize("opener", ["[", "{", "[{", "[ ", "{a: ["])
def test_yaml_of_many_brackets_reaches_no_parser(monkeypatch: pytest.MonkeyPatch, opener: str) -> None:
    monkeypatch.setattr("yaml.load", lambda *_args, **_named: pytest.fail("the parser was called"))
    with pytest.raises(TooDeep):
        read_yaml_texts("a: " + opener * 4_000)


def test_yaml_aliases_are_refused_and_tags_build_nothing() -> None:
    with pytest.raises(ValueError):
        read_yaml_texts("a: &x [1]\nb: *x")
    assert read_yaml_texts("a: !!python/name:os.system x") == {"a": "x"}


@pytest.mark.parametrize("depth", DEPTHS)
def test_deep_tool_call_leaves_both_protocols_able_to_send_the_conversation(depth: int) -> None:
    deep = '{"text": ' + "[" * depth + "]" * depth + "}"
    request = Request(
        model="m",
        system=(SystemBlock(text="s"),),
        messages=(
            Message(role="user", parts=(TextPart(text="hi"),)),
            Message(role="assistant", parts=(ToolCallPart(id="c", name="t", arguments=deep),)),
            Message(role="user", parts=(ToolResultPart(call_id="c", text="bad arguments", is_error=True),)),
        ),
        tools=(),
        max_tokens=10,
    )
    assert json.dumps(encode_request(request))
    assert json.dumps(encode_chat_request(request, quirks_of("x.test", near=False), "x.test"))


@pytest.mark.parametrize("depth", DEPTHS[1:])
def test_deep_transcript_line_is_damaged_and_nothing_else(depth: int) -> None:
    with pytest.raises(ValueError):
        decode_entry('{"kind":"title_set","id":"a","at":"b","title":"c","x":' + "[" * depth + "]" * depth + "}")


@pytest.mark.parametrize("depth", DEPTHS)
def test_deep_forgotten_file_is_passed_over(tmp_path: Path, depth: int) -> None:
    (tmp_path / ".history").mkdir()
    (tmp_path / ".history" / "forgotten.json").write_text(
        '{"salt": "00", "texts": ' + "[" * depth + "]" * depth + "}"
    )
    assert not TombstoneStore(tmp_path).is_forgotten("tea")


@pytest.mark.parametrize(
    "card",
    [
        {"spec": ["chara_card_v2"], "data": {"name": "Anna"}},
        {"spec": {"a": 1}, "spec_version": [3], "data": {"name": "Anna"}},
        {"name": "Anna", "spec_version": {"a": 1}},
    ],
)
def test_card_with_fields_of_other_types_is_read(card: dict[str, object]) -> None:
    assert read_card_json(json.dumps(card).encode()).name == "Anna"


@pytest.mark.parametrize("depth", DEPTHS)
def test_deep_card_and_card_with_a_long_number_are_refused(depth: int) -> None:
    for value in ("[" * depth + "]" * depth, "9" * 400):
        with pytest.raises(CardRefused):
            read_card_json(b'{"spec": "chara_card_v2", "data": {"name": "A", "x": ' + value.encode() + b"}}")


def test_parsers_are_called_in_one_module_only() -> None:
    package = Path(pet.__file__).parent
    found = []
    for file in sorted(package.rglob("*.py")):
        name = file.relative_to(package).as_posix()
        if name in OWN_FILES:
            continue
        calls = [node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.Call)]
        found += [f"{name}:{call.lineno}" for call in calls if ast.unparse(call.func) in PARSERS]
    assert found == []
