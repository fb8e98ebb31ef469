"""What a bubble says, how long it stays, when it may come; and where it and the pet stand."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.desktop.geometry import Rect, bubble_height, bubble_place, bubble_tail, next_corner, resized
from pet.i18n import LANGUAGES, Texts
from pet.services.offers.greetings import greeting_key
from pet.services.offers.wording import plain_text, reading_seconds, shortened
from pet.services.proactive_limits import is_quiet, seconds_until
from pet.text.plain_markdown import blocks, plain_formula

WORK = Rect(0, 28, 1280, 772)


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-21T{clock}:00+00:00")


def test_markdown_becomes_words() -> None:
    said = "# Hello\n\nI **like** *green* tea, `x = 1` and [that](https://example.org/a).\n\n- one\n- two\n\n> so"
    bullets = "\u2022 one\n\u2022 two"
    assert plain_text(said) == (f"Hello\nI like green tea, x = 1 and that.\n{bullets}\nso", False)
    left_out = "Look:\n\n```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n\nNice."
    assert plain_text(left_out) == ("Look:\n\u2026\nNice.", True)
    assert plain_text("星期天就*什么也不做*，**真的**。") == ("星期天就什么也不做，真的。", False)
    assert plain_text("2 * 3 * 4 and snake_case_name") == ("2 * 3 * 4 and snake_case_name", False)


REPLY = """# Rain **today**

Take the *umbrella*, not `a*b*`.
And boots.

- one
  and its end
  - deep
2. second
- [x] done
> quoted
> twice

```
def f():

    return 1
```
| a | b |
|---|:-:|
| 1 | **2** |

---
[more](https://example.org/a_b_c)"""


def test_what_is_read_on_keeps_its_form_and_loses_its_marks() -> None:
    found = [(each.kind, each.text, each.mark, each.depth) for each in blocks(REPLY)]
    assert found == [
        ("heading", "Rain today", "", 0),
        ("text", "Take the umbrella, not a*b*.\nAnd boots.", "", 0),
        ("item", "one\nand its end", "\u2022", 0),
        ("item", "deep", "\u2022", 1),
        ("item", "second", "2.", 0),
        ("item", "done", "\u2611", 0),
        ("quote", "quoted\ntwice", "", 0),
        ("code", "def f():\n\n    return 1", "", 0),
        ("row", "a \u00b7 b", "", 0),
        ("row", "1 \u00b7 2", "", 0),
        ("text", "more", "", 0),
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("| `a|b` | or |", "a|b · or"),
        ("| `a || b` | or |", "a || b · or"),
        ("| a \\| b | or |", "a | b · or"),
        ("| one<br>two<BR /> | x |", "one two · x"),
        ("| one ` tick | or ` two |", "one ` tick · or ` two"),
    ],
)
def test_a_cell_keeps_its_code_and_loses_its_line_breaks(row: str, said: str) -> None:
    assert [block.text for block in blocks(f"| code | means |\n|---|---|\n{row}")] == ["code · means", said]


def test_a_written_line_break_is_one() -> None:
    assert blocks("one<br>two")[0].text == "one\ntwo"


@pytest.mark.parametrize(
    "money",
    ["pay $20, 30$ or 40$", "$5 and 10$ each", "from $1,000 to 2,000$", "20$, 30$ or 40$", "门票 $20到30$ 不等"],
)
def test_amounts_are_no_formula(money: str) -> None:
    assert blocks(money)[0].text == money


@pytest.mark.parametrize(
    ("line", "text"),
    [("# Tea ##", "Tea"), ("## Tea#", "Tea"), ("# Tea # x", "Tea # x"), ("# ##", ""), ("# Tea \t", "Tea")],
)
def test_a_heading_is_without_the_marks_that_close_it(line: str, text: str) -> None:
    assert [(each.kind, each.text) for each in blocks(line)] == [("heading", text)]


@given(st.text(alphabet="ab \n#>*`-|~[]()1.", max_size=300))
def test_no_word_of_a_reply_is_lost(text: str) -> None:
    shown = "".join(each.text for each in blocks(text))
    kept = [sign for sign in text if sign in "ab"]
    links = text.count("](")  # what a link leads to is not shown, nor is the language of a block of code
    if not links and "```" not in text and "~~~" not in text:
        assert [sign for sign in shown if sign in "ab"] == kept


def test_an_endless_line_is_read_at_once() -> None:
    assert len(blocks("**a " * 50_000)[0].text) <= 20_001
    assert blocks("```\n" + "x\n" * 3)[0].kind == "code"  # a block that nobody closed


def test_a_long_reply_shows_its_first_lines() -> None:
    assert shortened("Short.") == ("Short.", False)
    text, more = shortened("\n".join(str(line) for line in range(9)))
    assert (text, more) == ("0\n1\n2\n3\n4", True)
    text, more = shortened("word " * 100)
    assert more
    assert text.endswith("word\u2026")
    text, more = shortened("好" * 300)
    assert (len(text), more) == (221, True)


@pytest.mark.parametrize("sign", ["🇩🇪", "👍🏽", "e\u0301", "👩\u200d👧", "❤\ufe0f", "नि"])
def test_no_sign_is_cut_in_two(sign: str) -> None:
    for before in ("", "x", "xx"):
        text, more = shortened(before + sign * 150)
        said = text.removesuffix("\u2026")
        assert more
        assert said == before + sign * ((len(said) - len(before)) // len(sign))


@given(st.text(max_size=600))
def test_no_text_grows_or_breaks(text: str) -> None:
    words, _left_out = plain_text(text)
    kept, more = shortened(words)
    assert len(kept) <= 221
    assert more or kept == words


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
    days = {texts(greeting_key(at("07:00") + timedelta(day))) for day in range(12)}
    assert len(days) == 4  # another one each day
    assert texts(greeting_key(at("07:00"))) == texts(greeting_key(at("10:59")))


def test_the_bubble_stands_above_the_pet_or_beside_it() -> None:
    place, side = bubble_place(Rect(1000, 500, 192, 208), (320, 140), WORK)
    assert (side, place) == ("above", Rect(936, 386, 320, 140))
    place, side = bubble_place(Rect(1080, 500, 192, 208), (320, 140), WORK)
    assert (side, place.right) == ("above", WORK.right)  # never off screen
    place, side = bubble_place(Rect(1000, 40, 192, 208), (320, 140), WORK)
    assert (side, place) == ("left", Rect(706, 40, 320, 140))
    place, side = bubble_place(Rect(10, 40, 192, 208), (320, 140), WORK)
    assert (side, place.x) == ("right", 176)


def test_a_small_pet_is_not_hidden_by_its_bubble() -> None:
    place, side = bubble_place(Rect(0, 28, 96, 104), (320, 140), WORK)
    assert (side, place.x) == ("right", 96 - 19)
    place, side = bubble_place(Rect(800, 400, 384, 416), (320, 140), WORK)
    assert (side, place.y) == ("above", 400 - 140 + 40)


def test_a_bubble_that_is_read_on_is_as_high_as_there_is_room() -> None:
    assert bubble_height(Rect(1000, 700, 192, 208), 640, Rect(0, 0, 1920, 1080)) == 640
    assert bubble_height(Rect(1000, 500, 192, 208), 640, WORK) == 498  # above the pet, and scrolled
    assert bubble_place(Rect(1000, 500, 192, 208), (480, 498), WORK)[1] == "above"
    assert bubble_height(Rect(1000, 40, 192, 208), 640, WORK) == 640  # beside it
    assert bubble_height(Rect(10, 10, 96, 104), 640, Rect(0, 0, 800, 500)) == 500


def test_the_tail_of_a_bubble_points_at_the_pet() -> None:
    pet = Rect(1000, 500, 192, 208)
    assert bubble_tail(pet, Rect(936, 386, 320, 140), "above") == 160
    assert bubble_tail(pet, Rect(700, 160, 320, 640), "left") == 423


def test_a_pet_grows_from_its_feet_and_knows_the_corners() -> None:
    assert resized(Rect(100, 100, 192, 208), (384, 416)) == Rect(4, -108, 384, 416)
    there = Rect(100, 100, 192, 208)
    for width, height in ((202, 218), (211, 229), (221, 239), (211, 229), (202, 218), (192, 208)):
        there = resized(there, (width, height))
    assert there == Rect(100, 100, 192, 208)  # step by step there and back
    pet, places = Rect(900, 500, 192, 208), []
    for _ in range(5):
        pet = next_corner(pet, WORK)
        places.append((pet.x, pet.y))
    assert places == [(1064, 568), (24, 568), (24, 52), (1064, 52), (1064, 568)]


def test_formulas_are_read_without_tex_and_prices_keep_their_signs() -> None:
    text = "For $n$ it is\n\n$$\\bar{x} = \\frac{1}{n}$$\n\n\\[\n\\int_0^1 x^2\\,dx\n  = \\frac{1}{3}\n\\]\n\n"
    text += "It costs $5 or $10, and `$x$` is code: $a^2*b^2$, \\(\\alpha \\to \\infty\\)."
    assert [(piece.kind, piece.text) for piece in blocks(text)] == [
        ("text", "For n it is"),
        ("text", "x\u0304 = 1/n"),
        ("text", "∫₀¹ x² dx = 1/3"),
        ("text", "It costs $5 or $10, and $x$ is code: a²*b², α → ∞."),
    ]
    assert plain_text(text)[1] is False, "nothing is left out for the chat to tell"


@pytest.mark.parametrize(
    ("tex", "said"),
    [
        (r"x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}", "x = (-b ± √(b² - 4ac))/(2a)"),
        (r"\sum_{i=1}^{n} i = \frac{n(n+1)}{2}", "∑ᵢ₌₁ⁿ i = n(n+1)/2"),
        (r"e^{i\pi} + 1 = 0", "e^(iπ) + 1 = 0"),
        (r"\nabla \cdot \mathbf{E} = \frac{\rho}{\varepsilon_0}", "∇ · E = ρ/ε₀"),
        (r"\left( \frac{a+b}{c} \right)^2 \in \mathbb{R}", "((a+b)/c)² ∈ ℝ"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "a b; c d"),
        (r"90^\circ, \sin\theta, \sqrt[3]{8}, 10^{-3}, 5\%", "90°, sin θ, ∛8, 10⁻³, 5%"),
        (r"v_{\text{max}} \unheardof{x}", "vₘₐₓ unheardofx"),
        ("x^", "x"),
        (r"\frac", "/"),
        ("{" * 5_000 + "a", "a"),
    ],
)
def test_a_formula_in_plain_characters(tex: str, said: str) -> None:
    assert plain_formula(tex) == said


@given(st.text(alphabet="\\{}[]^_ $&abfrcsqt1()", max_size=60))
def test_any_formula_has_some_plain_form(tex: str) -> None:
    assert "\\" not in plain_formula(tex)
