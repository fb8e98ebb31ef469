"""Which lines go with an entry, and that all others stay as they were."""

from __future__ import annotations

import pytest

from pet.memory.store.forget_matches import cut_bytes, cut_text, entry_spans, entry_text, find_in_text
from pet.workspace.tombstones import SearchPatterns

LOG = "memory/2026-02-24.md"
ANNA = SearchPatterns.of(["Anna"])


def test_an_entry_of_a_log_goes_with_its_heading() -> None:
    text = "# Memory Log: 2026-02-24\n\n## [09:00:00] fact\n\nAnna\nlikes tea\n\n## [10:00:00] fact\n\nBob\n"
    assert cut_text(LOG, text, ANNA) == "# Memory Log: 2026-02-24\n\n## [10:00:00] fact\n\nBob\n"


def test_what_the_program_wrote_as_the_frame_of_a_log_is_no_text() -> None:
    text = "# Memory Log: 2026-02-24\n\n## [09:00:00] todo @2026-03-01\n\nBuy tea\n"
    for frame in ("2026-02-24", "Memory Log", "todo", "09:00:00"):
        assert cut_text(LOG, text, SearchPatterns.of([frame])) == text


def test_a_category_of_the_owners_own_is_text() -> None:
    text = "## [09:00:00] anna-and-me\n\nWe met\n\n## [10:00:00] fact\n\nBob\n"
    assert cut_text(LOG, text, ANNA) == "## [10:00:00] fact\n\nBob\n"


def test_headings_stay_over_what_stays_and_go_when_they_hold_it() -> None:
    assert cut_text("MEMORY.md", "# People\n\n- Anna\n", ANNA) == "# People\n"
    assert cut_text("MEMORY.md", "# People\n\n## Anna\n\n- tea\n", ANNA) == "# People\n\n- tea\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "END"])
def test_line_ends_and_a_missing_last_newline_survive(end: str, last: str) -> None:
    last = end if last else ""
    before = f"# A{end}{end}- Anna{end}- Bob{end}{end}- Cid{last}"
    assert cut_text("MEMORY.md", before, ANNA) == f"# A{end}{end}- Bob{end}{end}- Cid{last}"
    assert cut_text("MEMORY.md", f"- Bob{end}- Anna{last}", ANNA) == f"- Bob{last}"


def test_the_bom_survives_and_bytes_without_it_are_untouched() -> None:
    assert cut_bytes("USER.md", b"\xef\xbb\xbf- Anna\r\n- Bob", ANNA) == b"\xef\xbb\xbf- Bob"
    untouched = b"\xef\xbb\xbf- Bob\r\n\r\n\r\n"
    assert cut_bytes("USER.md", untouched, ANNA) == untouched


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "gb18030"])
def test_bytes_that_are_no_text_are_not_cut_but_known(encoding: str) -> None:
    sought = SearchPatterns.of(["蓝色"])
    assert cut_bytes("USER.md", "- 我的蓝色小猫".encode(encoding), sought) is None
    other = "- 我的小猫，很可爱".encode(encoding)
    assert cut_bytes("USER.md", other, sought) == other


def test_indented_items_go_with_the_one_above_them() -> None:
    text = "- Friends\n  - Anna\n  - Bob\n- Tea\n"
    assert cut_text("MEMORY.md", text, ANNA) == "- Tea\n"


def test_an_entry_too_long_for_one_piece_of_the_index_goes_whole() -> None:
    long = "word " * 2000
    assert cut_text("MEMORY.md", f"- Tea\n\n{long}Anna {long}\n\n- Bob\n", ANNA) == "- Tea\n\n- Bob\n"


@pytest.mark.parametrize(
    "written",
    ["ANNA'S secret", "Ａｎｎａ＇ｓ　ｓｅｃｒｅｔ", "Anna's\n  secret", "An\u200bna's secret", "anna's\u00a0secret"],
)
def test_case_width_and_white_space_are_no_difference(written: str) -> None:
    assert cut_text("USER.md", f"- {written}\n- tea\n", SearchPatterns.of(["Anna's secret"])) == "- tea\n"


def test_composition_is_no_difference() -> None:
    assert cut_text("USER.md", "- cafe\u0301\n- tea\n", SearchPatterns.of(["CAFÉ"])) == "- tea\n"


def test_a_text_that_runs_over_two_entries_takes_both() -> None:
    assert cut_text("USER.md", "One\n\ntwo\n\nthree\n", SearchPatterns.of(["one\n\ntwo"])) == "three\n"


def test_a_text_that_runs_into_the_first_letter_of_the_next_entry_takes_it() -> None:
    assert cut_text("USER.md", "Anna lives in flat\n\n7\n\nBob\n", SearchPatterns.of(["in flat 7"])) == "Bob\n"
    assert cut_text("USER.md", "Bob\n\n7\n\nAnna lives here\n", SearchPatterns.of(["7 Anna"])) == "Bob\n"


def test_a_heading_of_a_log_without_text_goes_if_it_holds_it() -> None:
    text = "# Memory Log: 2026-02-24\n\n## [09:00:00] fact\n\nBob\n\n## [10:00:00] anna\n"
    assert cut_text(LOG, text, ANNA) == "# Memory Log: 2026-02-24\n\n## [09:00:00] fact\n\nBob\n"


def test_a_heading_goes_with_the_text_right_under_it() -> None:
    text = "## [09:00:00] fact\nAnna\n\n## [10:00:00] fact\nBob\n"
    assert cut_text(LOG, text, ANNA) == "## [10:00:00] fact\nBob\n"


def test_the_frame_of_a_log_is_text_in_another_file() -> None:
    assert cut_text("MEMORY.md", "## [09:00:00] fact\n\n- Bob\n", SearchPatterns.of(["09:00:00"])) == "- Bob\n"


def test_a_heading_of_the_owners_own_in_a_log_is_text() -> None:
    rest = "Bob\n\n## [10:00:00] fact\n\nCid\n"
    assert (
        cut_text(LOG, f"# Memory Log: 2026-02-24\n\n## Anna\n\n{rest}", ANNA) == f"# Memory Log: 2026-02-24\n\n{rest}"
    )


def test_the_gap_after_two_entries_that_go_stays_behind_the_one_before_them() -> None:
    assert cut_text("MEMORY.md", "- Bob\n- Anna\n- Anna too\n\n- Cid\n", ANNA) == "- Bob\n\n- Cid\n"


def test_what_is_found_is_whole_and_to_the_line() -> None:
    text = "# A\r\n\r\n- tea\r\n- Anna is\r\n  nice\r\n"
    (found,) = find_in_text("MEMORY.md", text, ANNA)
    assert (found.start_line, found.end_line, found.text) == (4, 5, "- Anna is\n  nice")


def test_a_file_may_become_empty() -> None:
    assert cut_text("MEMORY.md", "Anna\n\n- Anna too\n", ANNA) == ""
    assert cut_text("MEMORY.md", "\n\nAnna\n\n", ANNA) == ""


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("- My name is X", "My name is X"),
        ("12. x y", "x y"),
        ("-5 degrees", "-5 degrees"),
        ("- ", "-"),
        ("Owner: The door code", "The door code"),
        ("主人：门口的暗号", "门口的暗号"),
        ("Pet:", "Pet:"),
    ],
)
def test_what_an_entry_says_is_without_the_mark_of_a_list_and_who_said_it(entry: str, text: str) -> None:
    assert entry_text(entry) == text


def spans(name: str, *lines: str) -> list[tuple[int, int]]:
    return [(each.start_line, each.end_line) for each in entry_spans(name, lines)]


def test_every_written_line_is_in_one_span_but_the_title_of_a_log() -> None:
    title = "# Memory Log: 2026-02-24"
    assert spans("MEMORY.md", "# Memory", "", "- tea", "## Anna", "", title) == [(1, 1), (3, 3), (4, 4), (6, 6)]
    assert spans(LOG, title, "# Other") == [(2, 2)]
    assert spans(LOG, "# Other", title) == [(1, 1)]
    heading = ("## [09:00:00] fact", "", "Anna", "")
    assert spans(LOG, title, "", "stray", "# Anna", *heading, title, "# Other") == [(3, 3), (4, 4), (5, 7), (10, 10)]


@pytest.mark.parametrize(
    ("text", "entry"),
    [("1. tea", "tea"), ("12) tea", "tea"), ("2024 was good", "2024 was good"), ("A. tea", "A. tea"), ("1.", "1.")],
)
def test_a_number_is_a_mark_only_with_its_sign(text: str, entry: str) -> None:
    assert entry_text(text) == entry


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("- Anna", ""),
        ("- Bob\n- Anna", "- Bob"),
        ("- Bob\n- Anna\n", "- Bob\n"),
        ("- Bob\r\n- Anna\r\n", "- Bob\r\n"),
    ],
)
def test_the_end_of_the_file_stays_as_it_was(text: str, left: str) -> None:
    assert cut_text("MEMORY.md", text, ANNA) == left


def test_of_many_short_entries_the_one_that_holds_it_goes() -> None:
    entries = [f"- e{number}\n" for number in range(10, 99)]
    assert cut_text("MEMORY.md", "".join(entries), SearchPatterns.of(["e55"])) == "".join(
        each for each in entries if "e55" not in each
    )


BROKEN_UP = [
    ("蓝色桑给巴尔", "- 蓝色\n  桑给巴尔"),
    ("蓝色桑给巴尔", "- 蓝色 桑给巴尔"),
    ("蓝色 桑给巴尔", "- 蓝色桑给\u3000巴尔"),
    ("喜欢Python语言", "- 喜欢 Python 语言"),
    ("蓝色桑给巴尔", "- 蓝色**桑给巴尔**"),
    ("蓝色桑给巴尔", "- 蓝\u200b色桑\u2060给巴\ufe00尔"),
    ("Zanzibar", "- Zan\u200bzi\u200eb\u2063ar"),
    ("Zanzibar", "- went to Zan-\n  zibar"),
    ("Zanzibar", "- went to Zan\u00ad\n  zibar"),
    ("well-known house", "- a well-\n  known house"),
    ("blue Zanzibar", "- **blue** _Zanzibar_"),
    ("blue Zanzibar", "- *blue Zan*zibar and `tea`"),
    ("blue Zanzibar", "- b\x08lue\x1b Zanzibar"),
    ("密码：hunter2", "- 密码： hunter2"),
    ("密码: hunter2", "- 密码：hunter2"),
    ("我住在蓝湖路，12号", "- 我住在蓝湖路，\n  12号"),
    ("生日，3月5日", "- 生日, 3月5日"),
    ("她说……ok", "- 她说…… ok"),
    ("： hunter2", "- 密码：hunter2"),
    ("名字 (", "- 名字（Anna）"),
    ("蓝色桑给巴尔", "- 蓝**色\u200b桑**给\u034f巴\u2028尔"),
    ("blue Zanzibar", "- ~~blue~~ ***Zan**zi\u2060bar*"),
    ("blue Zanzibar", "- blue<br>Zanzibar"),
    ("blue Zanzibar", "- blue <BR />\n  Zanzibar"),
    ("蓝色桑给巴尔", "- 蓝色<br/>桑给巴尔"),
    ("blue Zanzibar", "- <b>blue</b> Zan<EM>zibar</em>"),
    ("blue Zanzibar", "- blue&nbsp;Zanzibar"),
    ("Anna & Bob", "- Anna &amp; Bob"),
    ("Zan*zibar", "- Zan\\*zibar"),
    ("1. Zanzibar (blue)", "- 1\\. Zanzibar \\(blue\\)"),
    ("snake_case", "- snake\\_case"),
    ("2*30", "- 2\\*30"),
    ("blue Zanzibar", "- blue\\\n  Zanzibar"),
    ("blue Zanzibar", "> blue\n> Zanzibar"),
    ("blue Zanzibar", "  > > went to blue\n  >>Zanzibar"),
    ("Zanzibar", "> went to Zan-\n> zibar"),
    ("蓝色桑给巴尔", "> 蓝色\n> 桑给巴尔"),
    ("> blue\n> Zanzibar", "- blue Zanzibar"),
]


@pytest.mark.parametrize(("wanted", "entry"), BROKEN_UP)
def test_a_phrase_broken_by_spaces_line_ends_or_marks_goes(wanted: str, entry: str) -> None:
    sought = SearchPatterns.of([wanted])
    assert cut_text("MEMORY.md", f"- tea\n\n{entry}\n\n- cake\n", sought) == "- tea\n\n- cake\n"


@pytest.mark.parametrize(
    ("wanted", "entry"),
    [
        ("2*30", "- 230 cats"),
        ("snakecase", "- snake_case"),
        ("now here", "- nowhere"),
        ("blue Zanzibar", "- blue > Zanzibar"),
        ("C:Anna", "- C:\\Anna"),
        ("Zanzibar", "- Zan<br>zibar"),
        ("blue Zanzibar", "- blue <Zanzibar>"),
    ],
)
def test_marks_and_spaces_that_are_part_of_a_text_count(wanted: str, entry: str) -> None:
    text = f"{entry}\n"
    assert cut_text("MEMORY.md", text, SearchPatterns.of([wanted])) == text
