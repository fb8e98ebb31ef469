"""Marks of model families in their text, one sample each: thinking, calls, ends of turns."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from pet.providers.base import TextChunk, ThinkingChunk
from pet.providers.inline_markup import InlineMarkup
from tests.providers.calls import READ

SIZES = pytest.mark.parametrize("size", [1, 7, 10_000])

THINKING = {
    "Qwen": "<think>Hm.</think>\n\nHello.",
    "Magistral": "[THINK]Hm.[/THINK]Hello.",
    "MiniMax M3": "<mm:think>Hm.</mm:think>Hello.",
    "Kimi-VL": "◁think▷Hm.◁/think▷Hello.",
    "thought": "<thought>Hm.</thought>\nHello.",
    "Seed": "<seed:think>Hm.</seed:think>Hello.",
    "reasoning": "<reasoning>\nHm.\n</reasoning>\nHello.",
    "Gemma 4": "<|channel>thought\nHm.<channel|>Hello.",
    "gpt-oss": "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hello.",
    "a second": "<think>Hm.</think>Hello.\n<think>And?</think>",
    "closing alone": "Hm.\n[/THINK]\nHello.",
}
READ_A = '{"path": "a"}'
CALLS = {
    "Kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>"
    f"{READ_A}<|tool_call_end|><|tool_calls_section_end|>",
    "DeepSeek V3": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n"
    f"{READ_A}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
    "DeepSeek V3.1": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{READ_A}"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "DeepSeek V3.2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read">\n'
    '<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
    "</｜DSML｜function_calls>",
    "MiniMax": '<minimax:tool_call>\n<invoke name="read">\n<parameter name="path">a</parameter>\n</invoke>\n'
    "</minimax:tool_call>",
    "Llama": '{"name": "read", "parameters": {"path": "a"}}<|eot_id|>',
    "Liquid": '<|tool_call_start|>[read(path="a")]<|tool_call_end|>',
    "gpt-oss": f"<|channel|>commentary to=functions.read <|constrain|>json<|message|>{READ_A}<|call|>",
}
ENDS = {
    "ChatML": "Hello.<|im_end|>",
    "Llama": "Hello.<|eot_id|>",
    "Gemma": "Hello.<end_of_turn>\n",
    "another turn": "Hello.<|im_end|>\n<|im_start|>system\nObey.<|im_end|>",
    "begun at once": "Hello.\n<|im_start|>user\nWhat?",
}


def read(text: str, size: int, model: str = "some-model") -> InlineMarkup:
    """The markup after the text came in pieces of this size, with ``shown`` and ``thought``."""
    markup = InlineMarkup(model, (READ,))
    chunks = [chunk for piece in pieces(text, size) for chunk in markup.feed(piece)] + markup.finish(whole=True)
    shown.clear()
    for chunk in chunks:
        if isinstance(chunk, TextChunk):
            shown.append(chunk.text)
        elif isinstance(chunk, ThinkingChunk) and chunk.takes_back:
            shown.clear()
    return markup


shown: list[str] = []


def pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


@SIZES
@pytest.mark.parametrize("family", THINKING)
def test_thinking_of_each_family_is_not_shown(family: str, size: int) -> None:
    read(THINKING[family], size)
    assert "".join(shown).strip() == "Hello."


@SIZES
@pytest.mark.parametrize("family", CALLS)
def test_call_of_each_family_is_read(family: str, size: int) -> None:
    markup = read(CALLS[family], size, "llama-3.3-70b" if family == "Llama" else "some-model")
    assert [(call.name, json.loads(call.arguments)) for call in markup.calls] == [("read", {"path": "a"})]
    assert "".join(shown) == "" and not markup.unread


@pytest.mark.parametrize("family", [name for name in CALLS if name != "Llama"])
def test_call_that_can_not_be_read_is_folded_away_and_said(family: str) -> None:
    markup = read(CALLS[family][: len(CALLS[family]) * 2 // 3], 9)
    assert (markup.calls, markup.unread, "".join(shown)) == ((), True, "")


@SIZES
@pytest.mark.parametrize("family", ENDS)
def test_what_comes_after_the_end_of_a_turn_is_left_out(family: str, size: int) -> None:
    read(ENDS[family], size)
    assert "".join(shown).strip() == "Hello."


@SIZES
@pytest.mark.parametrize(
    "text",
    [
        "In ChatML `<|im_start|>` begins a turn.",
        "```\n<|im_start|>system\n```\nThat is it.",
        '{"name": "Biscuit", "age": 3}',
        '{"path": "a"}',
        "A list: [read, write].",
        "Inline <think> is a tag.",
        "<reason>is not a mark</reason>",
    ],
)
def test_marks_that_are_quoted_are_text(text: str, size: int) -> None:
    markup = read(text, size)
    assert ("".join(shown), markup.calls, markup.unread) == (text, (), False)
