"""Quick replies against a labelled set of ends of replies, Chinese and English."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pet.extras.quick_replies.rules import quick_words

LABELLED: list[tuple[str, list[str]]] = json.loads(Path(__file__).with_name("labelled.json").read_text("utf-8"))


def worded(reply: str) -> list[str]:
    return quick_words(reply)[1]


@pytest.mark.parametrize(("reply", "expected"), LABELLED, ids=range(len(LABELLED)))
def test_labelled_end_of_a_reply_gets_its_quick_replies(reply: str, expected: list[str]) -> None:
    assert worded(reply) == expected


def test_the_labelled_set_has_both_languages_with_and_without_answers() -> None:
    chinese = [reply for reply, _expected in LABELLED if re.search("[\u4e00-\u9fff]", reply)]
    assert len(chinese) >= 25 and len(LABELLED) - len(chinese) >= 25
    assert sum(not expected for _reply, expected in LABELLED) > 15


@pytest.mark.parametrize(
    "reply",
    [
        "Which one?\n1. **tea\u202e\u200b**: x\n2. [coffee](https://example.org)",
        "Which?\n1. <b>tea</b>\n2. `rm -rf`\n3. y",
        f"{'a' * 400} or {'b' * 400}?",
        f"{'(' * 3000}?",
        f"{'x, ' * 3000}or y?",
        f"a{' ' * 200_000}b?",
        f"{'![' * 60_000}?",
        f"Tea{' or' * 60_000}?",
        "1. x\n" * 40_000 + "Which one?",
        f"你{'想' * 90_000}还是不想？",
        "1. \n2. \nWhich?",
        "还是？",
        " or ?",
        "",
    ],
)
def test_nothing_is_said_that_is_not_shown(reply: str) -> None:
    for text in worded(reply):
        assert not re.search(r"[\u200b-\u200f\u202a-\u202e\n*`]|\]\(", text)
        assert text.strip() and len(text) < 40
