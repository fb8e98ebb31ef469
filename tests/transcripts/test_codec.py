"""Lines of every kind: bytes of other versions, optional fields, damage."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pet.model import Attachment, ContextPart, ForeignSource, Receipt, Usage
from pet.transcripts.entries import (
    Compacted,
    ContextFound,
    ModelSet,
    OpenerAsked,
    RoundCompleted,
    ToolCompleted,
    TurnFinished,
    Unknown,
    UserMessage,
)
from pet.transcripts.entry_codec import decode_entry, encode_entry
from tests.transcripts.entry_builder import unmarked

LINES = Path(__file__).with_name("every_kind.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
KINDS = {json.loads(line)["kind"]: json.loads(line) for line in LINES}


def changed(kind: str, missing: tuple[str, ...] = (), **values: object) -> Any:
    data = {name: value for name, value in KINDS[kind].items() if name not in missing}
    return decode_entry(json.dumps(data | values))


@pytest.mark.parametrize("line", LINES, ids=lambda line: json.loads(line)["kind"])
def test_a_stored_line_is_written_again_byte_for_byte_but_for_its_mark(line: str) -> None:
    again = encode_entry(decode_entry(line))
    assert unmarked(again.encode()).decode() == line
    assert encode_entry(decode_entry(again)) == again


@pytest.mark.parametrize("line", LINES, ids=lambda line: json.loads(line)["kind"])
def test_a_line_with_the_end_of_another_is_damaged(line: str) -> None:
    marked, other = (encode_entry(replace(decode_entry(line), id=id_)) for id_ in ("a" * 26, "b" * 26))
    with pytest.raises(ValueError, match="two lines"):
        decode_entry(marked[:-35] + other[-35:])
    with pytest.raises(ValueError, match="two lines"):
        decode_entry(line[:-1] + other[-35:])  # one of an earlier version, and one of this
    with pytest.raises(ValueError, match="two lines"):
        decode_entry(marked.replace('{"kind":"', '{"kind":"x'))


@pytest.mark.parametrize("line", LINES, ids=lambda line: json.loads(line)["kind"])
def test_unknown_fields_are_ignored(line: str) -> None:
    data = json.loads(line)
    assert decode_entry(json.dumps(data | {"later": {"deep": [1]}})) == decode_entry(line)


def test_fields_that_earlier_versions_did_not_write_have_their_meaning() -> None:
    said = changed("user_said", ("memory", "read_only", "context", "attachments", "turn_kind", "supersedes"))
    assert isinstance(said, UserMessage)
    assert (said.memory, said.read_only, said.context, said.supersedes) == (False, True, (), None)
    round_ = changed("round_said", ("usage", "gated_parts", "off", "local"))
    assert isinstance(round_, RoundCompleted)
    assert (round_.usage, round_.read_only, round_.local) == (Usage(), False, False)
    summary = changed("compacted", ("memory", "usage", "without"))
    assert isinstance(summary, Compacted)
    assert (summary.memory, summary.without) == (True, ())
    ended = changed("turn_closed", ("round", "error", "off"))
    assert isinstance(ended, TurnFinished)
    assert (ended.round, ended.error, ended.off) == (0, None, False)
    tool = changed("tool_done", ("file", "error", "receipt"))
    assert isinstance(tool, ToolCompleted)
    assert (tool.file, tool.error, tool.receipt) == (None, None, None)
    opener = changed("pet_opened", ("about",))
    assert isinstance(opener, OpenerAsked)
    assert opener.about == ""
    chosen = changed("model_chosen", choice=None)
    assert isinstance(chosen, ModelSet)
    assert chosen.choice is None


def test_recalled_context_is_gated_whatever_the_line_says() -> None:
    found = changed("context_found", context=[{"kind": "recall", "text": "x", "gated": False}])
    assert isinstance(found, ContextFound)
    assert found.context == (ContextPart(kind="recall", text="x", gated=True),)
    told = changed("context_found", context=[{"kind": "time", "text": "x", "gated": False}])
    assert isinstance(told, ContextFound)
    assert not told.context[0].gated


def test_unknown_items_are_skipped_alone() -> None:
    picture = KINDS["user_said"]["attachments"][0]
    said = changed("user_said", attachments=[picture | {"kind": "video/mp4"}, picture])
    assert isinstance(said, UserMessage)
    assert said.attachments == (Attachment(**picture),)
    receipt = KINDS["receipt_changed"]["receipt"] | {"noted": ["x", {"due": "?"}, {"text": "tea", "due": 3}]}
    made = changed("tool_done", receipt=receipt | {"masked": ["api_key", 7]})
    assert isinstance(made, ToolCompleted)
    assert isinstance(made.receipt, Receipt)
    assert [(each.text, each.due) for each in made.receipt.noted] == [("tea", "3")]
    assert made.receipt.masked == ("api_key",)
    line = '{"kind":"not_yet","at":"2027","x":1}'
    assert decode_entry(line) == Unknown(id="", at="2027", kind="not_yet", line=line)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("user_said", {"turn_kind": []}),
        ("user_said", {"text": None}),
        ("user_said", {"memory": "yes"}),
        ("user_said", {"context": [{"kind": "summary", "text": "x", "gated": True}]}),
        ("user_said", {"attachments": {}}),
        ("round_said", {"gated_parts": [{"type": "later"}]}),
        ("round_said", {"round": True}),
        ("round_said", {"stop": "gone"}),
        ("tool_done", {"error": {"code": "c", "args": []}}),
        ("turn_closed", {"off": None}),
        ("receipt_changed", {"state": "lost"}),
        ("receipt_changed", {"receipt": {"file": "x"}}),
        ("compacted", {"without": "u"}),
    ],
)
def test_a_line_with_a_wrong_field_is_damaged_and_the_error_quotes_nothing(kind: str, values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^[\w.\[\]]+: \w+$") as caught:
        changed(kind, **values)
    assert "花园" not in str(caught.value)


@pytest.mark.parametrize("line", ["", "x", "[]", '{"kind":3}', '{"kind":"title_set","at":"2026","title":"x"}'])
def test_invalid_line_raises_value_error(line: str) -> None:
    with pytest.raises(ValueError):
        decode_entry(line)


@pytest.mark.parametrize("kind", ["user_said", "tool_done", "context_found"])
def test_a_source_whose_field_has_a_damaged_name_still_marks_the_entry(kind: str) -> None:
    sources = [{"kind": "page", "name": "tea.example", "id": ""}]
    read = changed(kind, ("foreign",), foreigm=sources)
    assert read.foreign == (ForeignSource(kind="page", name="tea.example", id=""),)
    assert changed(kind, ("foreign",), later=[{"name": "x"}, 1]) == changed(kind, ("foreign",))
