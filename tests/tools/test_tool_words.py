"""File, query or skill of a call in the chat's tool line."""

import json

import pytest

from pet.model import ToolCallPart
from pet.tools.toolset import words_of


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("memory_search", {"query": "red leaves", "max_results": 3}, "red leaves"),
        ("memory_forget", {"query": "红叶" * 100}, ("红叶" * 100)[:80]),
        ("skill", {"name": "morning"}, "morning"),
        ("read", {"path": "SOUL.md"}, None),
        ("memory_search", {"query": 7}, None),
        ("unknown", {"query": "x"}, '{"query": "x"}'),
    ],
)
def test_a_call_is_about_its_words_or_its_name(tool: str, arguments: dict[str, object], words: str | None) -> None:
    assert words_of(ToolCallPart(id="c", name=tool, arguments=json.dumps(arguments))) == words


def test_a_call_that_is_no_json_is_about_nothing() -> None:
    assert words_of(ToolCallPart(id="c", name="memory_search", arguments='{"query": ')) is None
