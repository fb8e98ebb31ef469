"""Steps of films, and the lines of a bubble."""

from __future__ import annotations

import pytest

from pet.body.acts import Step, steps_of
from pet.body.bodies import own_timing
from pet.extras.keepsakes.drawing import bar_count, filmed, wrapped_lines


@pytest.mark.parametrize("act", ["idle", "asleep", "thinking", "carried-left"])
def test_a_film_lasts_three_seconds(act: str) -> None:
    steps = filmed(act, 0, own_timing)
    assert sum(step.ms for step in steps) == 3_000
    assert len(steps) <= 40
    assert all(step.ms > 0 for step in steps)
    assert steps[0].act == ("wave" if act == "idle" else steps_of(act, own_timing)[0].act)


def test_a_film_of_a_skin_without_such_pictures_stands() -> None:
    assert filmed("idle", 2, lambda _act: None) == [Step("idle", 2, 3_000)]
    assert len(filmed("idle", 0, lambda _act: [1])) == 40


def _short(line: str) -> bool:
    return len(line) <= 10


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three four", ["one two", "three four"]),
        ("你好" * 6, ["你好" * 5, "你好"]),
        ("x" * 25, ["x" * 10, "x" * 10, "x" * 5]),
        ("a\nb", ["a", "b"]),
        ("", [""]),
    ],
)
def test_words_break_at_blanks_in_chinese_anywhere_and_a_long_word_where_it_must(text: str, lines: list[str]) -> None:
    assert wrapped_lines(text, _short) == lines


def test_too_many_lines_end_in_an_ellipsis() -> None:
    assert wrapped_lines("one two three four five six", _short, 2) == ["one two", "three four…"]
    assert wrapped_lines("w" * 100_000, lambda _line: False, 2) == ["w", "w…"]


@pytest.mark.parametrize(("characters", "bars"), [(0, 0), (1, 1), (34, 1), (35, 2), (9_000, 5)])
def test_a_bar_stands_for_a_line_and_five_for_a_long_text(characters: int, bars: int) -> None:
    assert bar_count("x" * characters) == bars
