"""Offered tools and their order; schemas are stable."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from pet.access import OFF, ON
from pet.i18n import LANGUAGES, Language, Texts
from pet.memory.daily_log import CATEGORIES
from pet.model import ToolCallPart, ToolSpec
from pet.tools.toolset import named_file, tool_names, tool_specs
from tests.tools.conftest import Bench

ALL = ("read", "write", "edit", "memory_write", "memory_search", "memory_get", "memory_forget")
FILES = ("read", "write", "edit")


def test_on_has_all_and_off_has_the_three_for_the_soul() -> None:
    assert tool_names(ON) == ALL
    assert tool_names(OFF) == FILES
    for access in (ON, OFF):
        assert tuple(spec.name for spec in tool_specs(access, Texts("en"))) == tool_names(access)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_bytes_each_time(language: Language) -> None:
    first, second = (json.dumps([asdict(spec) for spec in tool_specs(ON, Texts(language))]) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("language", LANGUAGES)
def test_off_names_nothing_of_the_memory(language: Language) -> None:
    told = json.dumps([asdict(spec) for spec in tool_specs(OFF, Texts(language))], ensure_ascii=False)
    for word in ("USER", "MEMORY", "memory", "日志", "daily log", "记忆"):
        assert word not in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_schema_is_one_a_small_server_understands(language: Language) -> None:
    for spec in tool_specs(ON, Texts(language)):
        assert spec.schema["type"] == "object"
        assert spec.schema["additionalProperties"] is False
        properties = spec.schema["properties"]
        assert isinstance(properties, dict)
        assert all(each["type"] in ("string", "integer", "number") for each in properties.values())
        required = spec.schema["required"]
        assert isinstance(required, list)
        assert set(required) <= properties.keys()
        assert 20 < len(spec.description) < 700


def test_the_categories_offered_are_those_of_the_logs() -> None:
    assert _spec("memory_write").schema["required"] == ["content"]
    properties = _spec("memory_write").schema["properties"]
    assert isinstance(properties, dict)
    assert properties["category"]["enum"] == list(CATEGORIES)


def test_the_file_of_a_call_is_named_where_it_has_one() -> None:
    assert named_file(_call("memory_get", path="USER.md")) == "USER.md"
    assert named_file(_call("memory_write", content="x")) is None
    assert named_file(_call("skill", name="x")) is None
    assert named_file(_call("nothing", path="USER.md")) is None
    assert named_file(ToolCallPart(id="1", name="read", arguments="{")) is None


def _spec(name: str) -> ToolSpec:
    return next(spec for spec in tool_specs(ON, Texts("en")) if spec.name == name)


def _call(name: str, /, **arguments: object) -> ToolCallPart:
    return ToolCallPart(id="1", name=name, arguments=json.dumps(arguments))


@pytest.mark.parametrize("memory", [True, False])
@pytest.mark.parametrize("name", ["AGENTS.md", "TOOLS.md", "IDENTITY.md"])
def test_refused_write_of_an_owners_file_does_not_blame_memory(tmp_path: Path, name: str, memory: bool) -> None:
    bench = Bench(tmp_path, memory=memory)
    bench.desk.put(name, b"mine\n")
    assert bench.failed("write", path=name, content="yours") == "owners_file"
    assert bench.failed("edit", path=name, old_text="mine", new_text="yours") == "owners_file"
    assert "memory" not in bench.texts("error.owners_file", file=name)
    assert bench.text(name) == "mine\n"


def test_refused_write_of_a_log_names_the_tool_that_adds_to_it(tmp_path: Path) -> None:
    for folder in ("on", "off"):
        (tmp_path / folder).mkdir()
    bench = Bench(tmp_path / "on")
    assert bench.failed("write", path="memory/2026-02-24.md", content="x") == "log_only_grows"
    bench = Bench(tmp_path / "off", memory=False)
    assert bench.failed("write", path="memory/2026-02-24.md", content="x") == "access_denied"
