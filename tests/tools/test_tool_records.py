"""Every tool has its place in the table, its texts, for the model and for the owner, and a test."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import pet.tools
from pet.access import OFF, ON
from pet.extra import extras
from pet.i18n import LANGUAGES, Language, Texts
from pet.tools.tool import Tool
from pet.tools.toolset import TOOLS

_TESTS = (*Path("tests/tools").glob("*.py"), *Path("tests/extras").rglob("*.py"))


def test_every_record_is_in_the_table() -> None:
    modules = [import_module(f"{pet.tools.__name__}.{each.name}") for each in iter_modules(pet.tools.__path__)]
    core = {each for module in modules for each in vars(module).values() if isinstance(each, Tool)}
    assert set(TOOLS) == core.union(*(extra.tools() for extra in extras()))
    assert len(TOOLS) == len({tool.name for tool in TOOLS})


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_has_a_test(tool: Tool) -> None:
    assert any(f'"{tool.name}"' in file.read_text() for file in _TESTS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_has_words_for_the_model_and_for_the_chat(tool: Tool, language: Language) -> None:
    texts = Texts(language)
    for access in (ON, OFF):
        assert tool.describe(access, texts, ()).description
    assert texts(f"ui.tool.{tool.name}", what="x")
