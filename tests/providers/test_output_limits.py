"""The numbers in refusals for length."""

from __future__ import annotations

import pytest

from pet.providers.faults import NO_LIMITS, OutputLimits, limits_in
from tests.support.servers.model_services import TOO_LONG, TOO_MUCH

COUNTED = {"window": 8192, "prompt": 2600, "rest": 2591, "total": 10_696, "asked": 8096, "least": 97, "over": 8193}


@pytest.mark.parametrize("wording", TOO_LONG)
def test_window_and_prompt_are_read(wording: str) -> None:
    prompt = 0 if wording == "vllm 0.25" else 2600  # that one is computed from the window, and no count
    assert limits_in(TOO_LONG[wording].format(**COUNTED), 8096) == OutputLimits(window=8192, prompt=prompt)


@pytest.mark.parametrize("wording", TOO_MUCH)
def test_longest_reply_is_read(wording: str) -> None:
    assert limits_in(TOO_MUCH[wording].format(asked=8096, most=4096), 8096) == OutputLimits(most=4096)


@pytest.mark.parametrize(
    ("message", "limits"),
    [
        ("the request exceeds the available context size (4,096 tokens)", OutputLimits(window=4096)),
        ("prompt is too long: 213462 tokens > 200000 maximum", NO_LIMITS),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", NO_LIMITS),
        ("max_tokens must be at least 1, got 0", NO_LIMITS),
        ("`max_tokens` must be greater than `thinking.budget_tokens`", NO_LIMITS),
        ("messages: at most 100 images", NO_LIMITS),
        ("max_tokens: at most 9000", NO_LIMITS),  # more than was asked
    ],
)
def test_other_numbers_are_left(message: str, limits: OutputLimits) -> None:
    assert limits_in(message, 8096) == limits
