"""The editor's rule for cuts (``ui/src/settings/editor/truncation.ts``) agrees with the prompt's.

Both are tested with one table, ``ui/src/tests/cuts.json``: here against the prompt, in the pages' tests against the
editor.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pet.prompt.budget import characters_cut, truncate

_TABLE = Path(__file__).parents[2] / "ui" / "src" / "tests" / "cuts.json"
CASES = json.loads(_TABLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[f"{case['piece'][:8]!r}-{case['limit']}" for case in CASES])
def test_the_table_says_what_a_prompt_leaves_out(case: dict[str, object]) -> None:
    text = str(case["piece"]) * int(str(case["times"]))
    limit = int(str(case["limit"]))
    shown = truncate(text, limit, lambda gap: f"#{gap.characters}#")
    assert case["cut"] == characters_cut(text, limit) == shown.cut
    head, _, tail = shown.text.partition(f"\n#{shown.cut}#\n" if shown.cut else "\0")
    assert (case["head"], case["tail"]) == (len(head), len(tail))


def test_the_table_has_cuts_and_texts_that_fit() -> None:
    assert {bool(case["cut"]) for case in CASES} == {True, False}
    assert len(CASES) >= 12
