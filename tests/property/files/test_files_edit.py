"""An edit changes nothing outside its match, compared with a slow and simple reference."""

from __future__ import annotations

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from pet.errors import EditAmbiguous, EditNoChange, EditNotFound, EmptyQuery
from pet.workspace.edit_match import apply_edit
from pet.workspace.text_encoding import normalize_newlines

SPACES = st.sampled_from([" ", "  ", "\t", "\u3000", "\u00a0", "\n", "\r\n", "\n  ", " \r\n\t", "\r"])
WORDS = st.sampled_from(["tea", "cat", "猫", "名字：", "e\u0301", "👩‍👧", "-", "1.", "x"])
TEXTS = st.lists(st.one_of(WORDS, SPACES), max_size=14).map("".join)


def skeleton(text: str) -> str:
    return re.sub(r"\s+", "", text)


@given(head=TEXTS, old=TEXTS, tail=TEXTS, new=TEXTS)
def test_an_exact_match_is_replaced_and_nothing_else(head: str, old: str, tail: str, new: str) -> None:
    text = head + old + tail
    places = [at for at in range(len(text)) if old and text.startswith(old, at)]
    try:
        after = apply_edit(text, old, new)
    except EmptyQuery:
        assert not old.strip()
    except EditAmbiguous as several:
        count = several.args_["count"]
        assert count == len(places) > 1
    except EditNoChange:
        assert normalize_newlines(old) == normalize_newlines(new)
    else:
        assert len(places) == 1
        assert after.startswith(head)
        assert after.endswith(tail)
        assert normalize_newlines(after[len(head) : len(after) - len(tail)]) == normalize_newlines(new)


@given(head=TEXTS, old=TEXTS, tail=TEXTS, new=st.sampled_from(["NEW", "新的", "A\nB"]), spaces=st.lists(SPACES))
def test_other_white_space_matches_and_stays_outside(
    head: str, old: str, tail: str, new: str, spaces: list[str]
) -> None:
    """``old`` as the model remembers it: each run of white space some other one."""
    asked = iter(spaces)
    remembered = re.sub(r"\s+", lambda run: next(asked, run.group()), old).strip()
    assume(skeleton(old))
    text = head + old + tail
    try:
        after = apply_edit(text, remembered, new)
    except (EditNotFound, EditAmbiguous, EditNoChange):
        return
    # The reference: some cut of the text whose letters are those asked for, and all around it untouched.
    cuts = (
        (start, end)
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
        if skeleton(text[start:end]) == skeleton(remembered)
    )
    assert any(
        after.startswith(text[:start])
        and after.endswith(text[end:])
        and normalize_newlines(after[start : len(after) - len(text) + end]) == normalize_newlines(new)
        for start, end in cuts
    )


@given(text=TEXTS, old=TEXTS, new=TEXTS)
def test_an_edit_never_invents_or_loses_letters(text: str, old: str, new: str) -> None:
    try:
        after = apply_edit(text, old, new)
    except (EditNotFound, EditAmbiguous, EditNoChange, EmptyQuery) as refusal:
        said = [value for value in refusal.args_.values() if isinstance(value, str)]
        assert not said, "no text in errors"
        return
    wanted = {
        skeleton(text)[:at] + skeleton(new) + skeleton(text)[at + len(skeleton(old)) :]
        for at in range(len(text))
        if skeleton(text).startswith(skeleton(old), at)
    }
    assert skeleton(after) in wanted
