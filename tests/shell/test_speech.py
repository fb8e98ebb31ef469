"""What a bubble says, how long it stays, when it may come; and where it and the pet stand."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.bridge.speech import greeting_key, is_quiet, plain, reading_seconds, seconds_until, shortened
from pet.shell.geometry import Rect, bubble_place, next_corner, resized
from pet.texts import LANGUAGES, Texts

WORK = Rect(0, 28, 1280, 772)


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-21T{clock}:00")


def test_markdown_becomes_words() -> None:
    said = "# Hello\n\nI **like** *green* tea, `x = 1` and [that](https://example.org/a).\n\n- one\n- two\n\n> so"
    assert plain(said) == "Hello\nI like green tea, x = 1 and that.\none\ntwo\nso"
    assert plain("Look:\n\n```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n\nNice.") == "Look:\n\u2026\nNice."
    assert plain("2 * 3 * 4 and snake_case_name") == "2 * 3 * 4 and snake_case_name"


def test_a_long_reply_shows_its_first_lines() -> None:
    assert shortened("Short.") == ("Short.", False)
    text, more = shortened("\n".join(str(line) for line in range(9)))
    assert (text, more) == ("0\n1\n2\n3\n4", True)
    text, more = shortened("word " * 100)
    assert more
    assert text.endswith("word\u2026")
    text, more = shortened("好" * 300)
    assert (len(text), more) == (221, True)


@given(st.text(max_size=600))
def test_no_text_grows_or_breaks(text: str) -> None:
    kept, more = shortened(plain(text))
    assert len(kept) <= 221
    assert more or kept == plain(text)


def test_reading_takes_its_time() -> None:
    assert reading_seconds("Hi") == 6
    assert reading_seconds("好" * 100) > reading_seconds("o" * 100)
    assert reading_seconds("o" * 5000) == 45
    assert reading_seconds("Hi", 20) == 20


@pytest.mark.parametrize(
    ("now", "start", "end", "quiet"),
    [
        ("23:00", "22:30", "07:00", True),
        ("06:59", "22:30", "07:00", True),
        ("07:00", "22:30", "07:00", False),
        ("12:00", "22:30", "07:00", False),
        ("13:00", "12:00", "14:00", True),
        ("14:00", "12:00", "14:00", False),
        ("13:00", "", "14:00", False),
        ("13:00", "13:00", "13:00", False),
    ],
)
def test_quiet_hours_may_pass_midnight(now: str, start: str, end: str, quiet: bool) -> None:
    assert is_quiet(at(now), start, end) is quiet


def test_the_end_of_quiet_hours_is_ahead() -> None:
    assert seconds_until(at("23:00"), "07:00") == 8 * 3600
    assert seconds_until(at("06:59"), "07:00") == 60
    assert seconds_until(at("07:00"), "07:00") == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hello_fits_the_time_of_day(language: str) -> None:
    texts = Texts("zh" if language == "zh" else "en")
    said = [texts(greeting_key(at(clock))) for clock in ("07:00", "13:00", "19:00", "02:00")]
    assert len(set(said)) == 4


def test_the_bubble_stands_above_the_pet_or_beside_it() -> None:
    place, side = bubble_place(Rect(1000, 500, 192, 208), (320, 140), WORK)
    assert (side, place) == ("above", Rect(936, 386, 320, 140))
    place, side = bubble_place(Rect(1080, 500, 192, 208), (320, 140), WORK)
    assert (side, place.right) == ("above", WORK.right)  # never off screen
    place, side = bubble_place(Rect(1000, 40, 192, 208), (320, 140), WORK)
    assert (side, place) == ("left", Rect(706, 40, 320, 140))
    place, side = bubble_place(Rect(10, 40, 192, 208), (320, 140), WORK)
    assert (side, place.x) == ("right", 176)


def test_a_pet_grows_from_its_feet_and_knows_the_corners() -> None:
    assert resized(Rect(100, 100, 192, 208), (384, 416)) == Rect(4, -108, 384, 416)
    pet, places = Rect(900, 500, 192, 208), []
    for _ in range(5):
        pet = next_corner(pet, WORK)
        places.append((pet.x, pet.y))
    assert places == [(1064, 568), (24, 568), (24, 52), (1064, 52), (1064, 568)]
