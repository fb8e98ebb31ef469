"""Arguments of tool calls under the names that other agents use."""

from __future__ import annotations

import json

import pytest

from pet.errors import ToolRefused
from pet.model import ToolSpec
from pet.tools.tool_arguments import decode_arguments

TEXT, NUMBER, SHARE = {"type": "string"}, {"type": "integer"}, {"type": "number"}
SEARCH = ToolSpec(
    name="memory_search",
    description="",
    schema={"properties": {"query": TEXT, "max_results": NUMBER, "min_score": SHARE}, "required": ["query"]},
)
EDIT = ToolSpec(
    name="edit",
    description="",
    schema={"properties": {"path": TEXT, "old_text": TEXT, "new_text": TEXT}, "required": ["path", "old_text"]},
)


@pytest.mark.parametrize("name", ["top_k", "topK", "maxResults", "limit"])
def test_a_number_of_results_has_many_names(name: str) -> None:
    given = json.dumps({"query": "tea", name: 3, "minScore": 0.35})
    assert decode_arguments(SEARCH, given) == {"query": "tea", "max_results": 3, "min_score": 0.35}


def test_an_edit_is_understood_under_other_names() -> None:
    given = json.dumps({"file_path": "USER.md", "oldText": "a", "newText": "b"})
    assert decode_arguments(EDIT, given) == {"path": "USER.md", "old_text": "a", "new_text": "b"}


@pytest.mark.parametrize(
    "given",
    [{"query": "tea", "max_results": 2, "top_k": 3}, {"query": "tea", "oldText": "x"}, {"q": "tea", "search": 1}],
)
def test_two_names_at_once_or_of_another_tool_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(ToolRefused):
        decode_arguments(SEARCH, json.dumps(given))


READ = ToolSpec(
    name="read",
    description="",
    schema={"properties": {"path": TEXT, "from_line": NUMBER, "lines": NUMBER}, "required": ["path"]},
)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"file_path": "USER.md", "offset": 3, "limit": 5}, {"path": "USER.md", "from_line": 3, "lines": 5}),
        ({"path": "./SOUL.md"}, {"path": "SOUL.md"}),
        ({"path": "USER.md", "offset": "3", "limit": " 5 "}, {"path": "USER.md", "from_line": 3, "lines": 5}),
        ({"path": "USER.md", "offset": 0}, {"path": "USER.md", "from_line": 1}),
    ],
)
def test_a_read_is_understood_as_other_agents_write_it(given: dict[str, object], read: dict[str, object]) -> None:
    assert decode_arguments(READ, json.dumps(given)) == read


@pytest.mark.parametrize("number", ["5 lines", "", "nan", "inf", "1.5", True])
def test_what_is_no_number_stays_refused(number: object) -> None:
    with pytest.raises(ToolRefused):
        decode_arguments(READ, json.dumps({"path": "USER.md", "lines": number}))


@pytest.mark.parametrize(
    "given",
    [
        {"path": "USER.md", "old_string": "a", "new_string": "b", "replace_all": False},
        {"path": "USER.md", "edits": [{"oldText": "a", "newText": "b"}]},
    ],
)
def test_an_edit_of_one_passage_is_understood_as_other_agents_write_it(given: dict[str, object]) -> None:
    assert decode_arguments(EDIT, json.dumps(given)) == {"path": "USER.md", "old_text": "a", "new_text": "b"}


@pytest.mark.parametrize(
    "given",
    [
        {"path": "USER.md", "old_text": "a", "new_text": "b", "replace_all": True},
        {"path": "USER.md", "edits": [{"oldText": "a", "newText": "b"}, {"oldText": "c", "newText": "d"}]},
        {"path": "USER.md", "edits": "all"},
    ],
)
def test_an_edit_of_several_passages_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ToolRefused):
        decode_arguments(EDIT, json.dumps(given))
