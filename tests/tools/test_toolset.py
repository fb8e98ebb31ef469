"""Offered tools and their order; schemas are stable."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from pet.access import OFF, ON, MemoryMode
from pet.fs.directory import open_folder
from pet.i18n import LANGUAGES, Language, Texts
from pet.language.categories import CATEGORIES
from pet.model import ToolCallPart, ToolSpec
from pet.tools.toolset import named_file, tool_names, tool_specs
from tests.support.files import write_files
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


FEMI = "memory/people/femi.md"


def test_a_note_is_read_and_looked_up_by_its_path_and_never_written(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    write_files(bench.desk.root, {FEMI: "# Femi\n\n- repairs accordions\n"})
    assert bench.run("read", path=FEMI).text == "# Femi\n\n- repairs accordions\n"
    reply = json.loads(bench.run("memory_get", path=FEMI, from_line=3, lines=1).text)
    assert (reply["path"], reply["start_line"], reply["text"]) == (FEMI, 3, "- repairs accordions\n")
    assert bench.failed("write", path=FEMI, content="x") == "note_only_read"
    assert bench.failed("edit", path=FEMI, old_text="repairs", new_text="sells") == "note_only_read"
    assert bench.failed("write", path="memory/new.md", content="x") == "note_only_read"
    assert bench.failed("read", path="memory/people/../people/femi.md") == "path_refused"
    assert bench.failed("read", path="memory/.dreams/x.md") == "path_refused"
    bench.switch.switch(MemoryMode.READ_ONLY)
    bench.turn = bench.switch.begin_turn()
    assert "accordions" in bench.run("read", path=FEMI).text
    assert bench.failed("write", path=FEMI, content="x") == "tool_unknown_tool"
    bench.switch.switch(False)
    bench.turn = bench.switch.begin_turn()
    assert bench.failed("read", path=FEMI) == "access_denied"
    assert bench.failed("write", path=FEMI, content="x") == "access_denied"
    assert bench.failed("memory_get", path=FEMI) == "tool_unknown_tool"
    assert bench.text(FEMI) == "# Femi\n\n- repairs accordions\n"


def test_a_path_that_the_disk_takes_for_a_note_of_another_spelling_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on file systems that ignore case: the file opens, but its folder lists another name."""
    bench = Bench(tmp_path)
    write_files(bench.desk.root, {FEMI: "- repairs accordions\n"})
    kind = type(open_folder(bench.desk.root))
    names = kind.names
    monkeypatch.setattr(kind, "names", lambda folder: [name.swapcase() for name in names(folder)])
    assert bench.failed("read", path=FEMI) == "path_refused"


def test_the_schema_takes_every_note_and_no_other_path(tmp_path: Path) -> None:
    for name in ("read", "memory_get"):
        path = _spec(name).schema["properties"]["path"]  # type: ignore[index]
        for taken in ("SOUL.md", "memory/2026-02-24.md", FEMI, "memory/a/b/c d.md", "memory/日记/旅行.md"):
            assert re.search(path["pattern"], taken)
        for refused in ("memory/x.txt", "memory/.md/", "memory//x.md", "people/femi.md", "pet.toml", "memory/"):
            assert not re.search(path["pattern"], refused)
