"""The wire format: values survive a round trip, invalid ones are refused."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pet.bridge.chat_state import TabState
from pet.bridge.dispatch import CommandFailed, error_envelope, open_envelope, reply_envelope
from pet.bridge.emitter import EVENT_TYPES, event_data
from pet.errors import BadArguments
from pet.events import ErrorInfo, Event
from pet.model import TextPart, ToolCallPart
from pet.serde import MAX_MESSAGE, MAX_TEXT, check_decodable, decode, encode, to_data
from tests.bridge.values import DTOS, EVENTS, event_from, sample, values
from tests.support.examples import examples
from tests.support.program.invoking import COMMAND

SendArgs: Any = COMMAND["send_message"].args
SettingsArgs: Any = COMMAND["change_settings"].args
NewConversationArgs: Any = COMMAND["new_conversation"].args
TabsArgs: Any = COMMAND["save_tabs"].args


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveArgs:
    dx: float
    dy: float
    done: bool


@pytest.mark.parametrize("kind", DTOS, ids=lambda kind: kind.__name__)
@settings(max_examples=examples(25))
@given(data=st.data())
def test_every_dto_is_read_back_as_it_was_written(kind: type, data: st.DataObject) -> None:
    value: Any = data.draw(values(kind))
    text = encode(value)
    assert text.isascii()
    assert decode(kind, text) == value


@given(st.one_of([values(kind) for kind in EVENTS]))
def test_every_event_is_read_back_with_its_tag(event: Event) -> None:
    data = json.loads(encode(event_data(event)))
    assert EVENT_TYPES[data["type"]] is type(event)
    assert event_from(data) == event


def test_event_tags_are_the_snake_case_of_their_names() -> None:
    assert len(EVENT_TYPES) == len(EVENTS)
    assert {"turn_started", "text_delta", "workspace_changed", "chat_shown"} <= EVENT_TYPES.keys()


@given(
    kind=st.sampled_from(DTOS),
    data=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=8,
    ),
)
def test_any_json_is_either_the_type_or_bad_arguments(kind: type, data: Any) -> None:
    try:
        value: object = decode(kind, json.dumps(data))
    except BadArguments:
        return
    assert type(value) is kind


@given(st.sampled_from([kind for kind in DTOS if kind.__dataclass_fields__]), st.data())  # type: ignore[attr-defined]
def test_one_wrong_field_spoils_the_whole(kind: type, data: st.DataObject) -> None:
    good = to_data(sample(kind))
    assert isinstance(good, dict)
    name: str = data.draw(st.sampled_from(sorted(good)))
    with pytest.raises(BadArguments):
        decode(kind, json.dumps(good | {name: {"surely": ["not", "this"]}}))
    with pytest.raises(BadArguments):
        decode(kind, json.dumps(good | {"more": 1}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '"text"',
        "{}",
        '{"conversation": "c"}',
        '{"conversation": "c", "text": 1}',
        '{"conversation": "c", "text": null}',
        '{"conversation": "c", "text": "t", "extra": 1}',
        '{"conversation": "c", "text": "t", "text": "u"}',
        '{"conversation": "c", "text": "\\ud83d"}',
        '{"conversation": "c", "text": NaN}',
        '{"conversation": "c", "text": "t"} trailing',
        '{"conversation": "c", "text": ' + "[" * 100_000,
        '{"conversation": "c", "text": ' + "1" * 10_000 + "}",
    ],
)
def test_what_is_not_exactly_the_arguments_is_refused(text: str) -> None:
    with pytest.raises(BadArguments):
        decode(SendArgs, text)


def test_a_text_over_the_cap_is_refused_and_one_at_the_cap_is_not() -> None:
    at_the_cap = SendArgs(conversation="c", text="宠" * MAX_TEXT)
    assert decode(SendArgs, encode(at_the_cap)) == at_the_cap
    with pytest.raises(BadArguments) as caught:
        decode(SendArgs, encode(SendArgs(conversation="c", text="a" * (MAX_TEXT + 1))))
    assert caught.value.args_ == {"where": "text", "why": "too_long", "limit": 2}


def test_a_message_over_the_cap_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(BadArguments) as caught:
        decode(SendArgs, " " * (MAX_MESSAGE + 1))
    assert caught.value.args_["why"] == "too_long"


def test_bool_is_not_a_number_and_a_number_is_not_a_flag() -> None:
    assert decode(MoveArgs, '{"dx": 1, "dy": -2.5, "done": false}') == MoveArgs(dx=1.0, dy=-2.5, done=False)
    for text in (
        '{"dx": true, "dy": 0, "done": false}',
        '{"dx": 0, "dy": 0, "done": 1}',
        '{"dx": 1e999, "dy": 0, "done": true}',
        '{"dx": 9007199254740993, "dy": 0, "done": true}',
    ):
        with pytest.raises(BadArguments):
            decode(MoveArgs, text)


def test_a_setting_keeps_its_kind_of_number() -> None:
    read = decode(SettingsArgs, '{"changes": {"a": true, "b": 1, "c": 1.0, "d": "1"}}')
    assert [type(value) for value in read.changes.values()] == [bool, int, float, str]


def test_fields_with_a_default_may_be_left_out() -> None:
    assert decode(NewConversationArgs, "{}") == NewConversationArgs()
    assert decode(TabsArgs, '{"tabs": [{"conversation": "c"}], "active": null}') == TabsArgs(
        tabs=[TabState(conversation="c")], active=None
    )


def test_an_error_names_the_place_and_not_the_value() -> None:
    with pytest.raises(BadArguments) as caught:
        decode(TabsArgs, '{"tabs": [{"conversation": "c"}, {"conversation": 7}], "active": null}')
    assert caught.value.args_ == {"where": "tabs[1].conversation", "why": "text"}


def test_the_envelope_gives_the_reply_or_throws_the_error() -> None:
    move = MoveArgs(dx=1.0, dy=2.0, done=True)
    assert open_envelope(MoveArgs, reply_envelope(move)) == move
    info = ErrorInfo(code="file_full", args={"file": "USER.md", "limit": 20000}, retryable=True)
    with pytest.raises(CommandFailed) as caught:
        open_envelope(MoveArgs, error_envelope(info))
    assert (caught.value.error_code, caught.value.args_, caught.value.retryable) == (info.code, info.args, True)
    for text in ("{}", '{"ok": 1, "value": {}}', '{"ok": true}', '{"ok": false}', "[]"):
        with pytest.raises(BadArguments):
            open_envelope(MoveArgs, text)


def test_a_hint_without_a_form_is_a_mistake_that_shows_at_once() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Untagged:
        part: TextPart | ToolCallPart

    Untagged.__annotations__["part"] = TextPart | ToolCallPart
    with pytest.raises(TypeError):
        check_decodable(Untagged)
    with pytest.raises(TypeError):
        to_data(object())
    with pytest.raises(ValueError):
        encode({"number": float("nan")})
