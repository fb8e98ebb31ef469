"""Decode and validate the arguments of a tool call: JSON text of a model against the tool's schema. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from pet.errors import ToolRefused
from pet.model import ToolSpec
from pet.untrusted.parsers import NotAnObject, join_surrogates, read_json_object

_ALIASES: Mapping[str, tuple[str, ...]] = {
    "path": ("file_path", "filePath", "file", "filename"),
    "old_text": ("oldText", "old_string", "old_str", "oldString"),
    "new_text": ("newText", "new_string", "new_str", "newString"),
    "content": ("text", "contents"),
    "query": ("q", "search"),
    "max_results": ("maxResults", "top_k", "topK", "limit", "count"),
    "min_score": ("minScore",),
    "from_line": ("from", "fromLine", "start_line", "startLine", "offset"),
    "lines": ("limit", "line_count", "lineCount", "num_lines"),
}
"""Names of arguments in other agents' tools, which models write from habit, by ours."""
_ONE_PASSAGE = ("replace_all", "replaceAll")
"""Arguments of other agents' tools that say with false what ours do anyway."""

Value = str | int | float | None
Arguments = Mapping[str, object]


def decode_arguments(spec: ToolSpec, text: str) -> Arguments:
    """Return the arguments of a call, all of them named in the schema and of its types; an empty text has none.

    >>> schema = {"properties": {"path": {"type": "string"}}, "required": ["path"]}
    >>> spec = ToolSpec(name="read", description="", schema=schema)
    >>> decode_arguments(spec, '{"path": "USER.md"}')
    {'path': 'USER.md'}

    Raises: ToolRefused("bad_arguments") that names the problem, so that the model can correct its call.
    """
    try:
        given = read_json_object(text)
    except NotAnObject:
        raise bad_arguments(spec.name, "object") from None
    except ValueError:
        raise bad_arguments(spec.name, "JSON") from None
    properties = spec.schema["properties"]
    required = spec.schema["required"]
    assert isinstance(properties, Mapping)
    assert isinstance(required, list)
    if "old_text" in properties:
        given = _as_one_edit(given)
    given = dict(_under_our_names(given, properties))
    unknown = sorted(given.keys() - properties.keys())
    if unknown:
        raise bad_arguments(spec.name, f"unknown: {join_surrogates(unknown[0])[:40]}")
    missing = [name for name in required if given.get(name) is None]
    if missing:
        raise bad_arguments(spec.name, f"missing: {missing[0]}")
    return {name: _checked(spec, name, properties[name]["type"], value) for name, value in given.items()}


def _as_one_edit(given: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments of an edit without "all: no", and with the passage of a list that has only one."""
    given = {name: value for name, value in given.items() if name not in _ONE_PASSAGE or value is not False}
    match given.get("edits"):
        case [dict() as only]:
            del given["edits"]
            return {**given, **only}
        case _:
            return given


def _under_our_names(given: Mapping[str, object], properties: Mapping[str, object]) -> Mapping[str, object]:
    """Return the arguments with other agents' names replaced, where the tool has no argument of that name itself."""
    ours = {
        alias: name
        for name, aliases in _ALIASES.items()
        if name in properties and given.get(name) is None
        for alias in aliases
        if alias not in properties
    }
    return {ours.get(name, name): value for name, value in given.items()}


def string(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def whole_number(arguments: Arguments, name: str) -> int | None:
    value = arguments.get(name)
    return value if isinstance(value, int) else None


def bad_arguments(tool: str, problem: str) -> ToolRefused:
    """Return the error that names the problem to the model."""
    return ToolRefused("bad_arguments", tool=tool, problem=problem)


def _checked(spec: ToolSpec, name: str, kind: str, value: object) -> Value:
    if value is None:
        return None
    if kind in ("number", "integer") and isinstance(value, str):
        value = _written_number(value)
    if kind == "number":
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise bad_arguments(spec.name, f"{name}: number from 0 to 1")
        return float(value)
    if kind == "integer":
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        least = 0 if name == "from_line" else 1
        if isinstance(value, bool) or not isinstance(value, int | float) or not whole or value < least:
            raise bad_arguments(spec.name, f"{name}: integer >= 1")
        return max(1, int(value))  # some count lines from 0
    if not isinstance(value, str):
        raise bad_arguments(spec.name, f"{name}: string")
    if "\0" in value:
        raise bad_arguments(spec.name, f"{name}: NUL")
    return join_surrogates(value.removeprefix("./") if name == "path" else value)


def _written_number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text
