"""The pure functions on texts: form of a document, edit, merge, diff, hidden characters, losing text."""

from __future__ import annotations

import pytest

from pet.errors import EditAmbiguous, EditNoChange, EditNotFound
from pet.text.unseen import count_unseen
from pet.workspace.edit_match import apply_edit
from pet.workspace.line_diff import count_changes, diff_lines, dropped_line_count, dropped_line_ratio, merge3
from pet.workspace.text_encoding import (
    EncodedText,
    NotText,
    decode_text,
    dominant_newline,
    encode_text,
    with_text,
)


@pytest.mark.parametrize("data", [b"a\0b", "你好".encode("gbk"), "hi".encode("utf-16"), b"\xff\xfe", b"\xc3"])
def test_what_is_not_utf8_is_not_text(data: bytes) -> None:
    with pytest.raises(NotText):
        decode_text(data)


@pytest.mark.parametrize("text", ["\ud83d", "a\0"])
def test_what_can_not_be_bytes_is_not_text(text: str) -> None:
    with pytest.raises(NotText):
        encode_text(text)


def test_a_bom_is_no_part_of_the_text_and_comes_back() -> None:
    document = decode_text(b"\xef\xbb\xbfone")
    assert document == EncodedText(text="one", bom=True)
    assert with_text(document, "two") == b"\xef\xbb\xbftwo"


@pytest.mark.parametrize(
    ("text", "newline"),
    [("", "\n"), ("a\nb\r\nc\r\n", "\r\n"), ("a\nb\r\n", "\n"), ("a\rb\r", "\r"), ("a\r\nb\n\n", "\n")],
)
def test_the_dominant_newline_wins(text: str, newline: str) -> None:
    assert dominant_newline(text) == newline


@pytest.mark.parametrize(
    ("old", "text", "wanted"),
    [
        ("a\r\nb\n", "a\nx\nb\n", "a\r\nx\nb\n"),
        ("a\r\nb\r\nc\n", "c\nnew\n", "c\nnew\r\n"),
        ("a\r\nb", "a\nb\n", "a\r\nb"),
        ("a\r\nb", "a\nb\nc", "a\r\nb\r\nc"),
        ("a", "a\nb\n", "a\nb"),
        ("a\n", "a", "a"),
        ("", "a\n", "a\n"),
        ("a\rb\r", "b\nc\n", "b\rc\r"),
    ],
)
def test_line_ends_survive(old: str, text: str, wanted: str) -> None:
    assert with_text(EncodedText(text=old), text).decode() == wanted


@pytest.mark.parametrize(
    ("text", "old", "new", "wanted"),
    [
        ("a b c", "b", "B", "a B c"),
        ("a\r\nb\r\nc", "a\nb", "x\ny", "x\r\ny\r\nc"),
        ("名字：\u3000小红", "名字： 小红", "名字：小明", "名字：小明"),
        ("我叫Tom，", "我叫 Tom", "我叫 Tim", "我叫 Tim，"),
        ("\t- tea\n\t- cat\n", "  - tea\n", "  - milk\n", "\t- milk\n\t- cat\n"),
        ("a\n\t- tea\t \nb", "- tea\nb", "- milk\nb", "a\n\t- milk\nb"),
        ("one\u00a0two three", "one two", "1", "1 three"),
        ("one two\nthree", "one two three", "1", "1"),
        ("a\n- tea\n- cat\n", "- tea\n", "", "a\n- cat\n"),
        ("a\r\n- tea\r\n- cat\r\n", "- tea\n", "", "a\r\n- cat\r\n"),
        ("a\n- tea  x\n\t- cat\n", "- tea x\n", "", "a\n\t- cat\n"),
        ("a  \n\t- tea\u3000x\nb", "\n- tea x", "", "a  \nb"),
        ("a\r\n\t- tea \r\n- cat\r\n", "\n  - tea\n", "\n", "a\r\n- cat\r\n"),
    ],
)
def test_an_edit_forgives_white_space(text: str, old: str, new: str, wanted: str) -> None:
    assert apply_edit(text, old, new) == wanted


@pytest.mark.parametrize(
    ("text", "old", "wanted"),
    [
        ("a b\na\nb", "a  b", "X\na\nb"),
        ("我叫Tom\n我叫\nTom", "我叫 Tom", "X\n我叫\nTom"),
    ],
)
def test_a_passage_with_the_same_lines_comes_before_one_with_others(text: str, old: str, wanted: str) -> None:
    assert apply_edit(text, old, "X") == wanted


@pytest.mark.parametrize(("text", "old"), [("Tom小红", "Tom 小红"), ("a我x", "a我 x"), ("我x", "我 x")])
def test_spacing_next_to_a_wide_character_is_free_on_either_side(text: str, old: str) -> None:
    assert apply_edit(text, old, "X") == "X"


@pytest.mark.parametrize(
    ("text", "old", "new", "wanted"),
    [
        ("x\n\t- tea\u3000a\n", "  - tea a\n", "- milk\n", "x\n- milk\n"),
        ("x\n \t - tea\u3000a\n", "  - tea a\n", "- milk\n", "x\n- milk\n"),
        ("x  \n - tea\u3000a\nb", "\n - tea a", "", "x  \nb"),
        ("x\n\n\n- tea\u3000a", "\n\n- tea a", "- milk", "x\n- milk"),
        ("a\u3000b \nc", "a b\n", "x\n", "x \nc"),
        ("a\u3000b\t\nc", "a b\n", "x", "xc"),
        ("a\u3000b  c", "a b ", "x", "xc"),
        ("a\u3000b ", "a b  ", "x", "x"),
        ("a\u3000b\n\n\nc", "a b\n\n", "x", "x\nc"),
    ],
)
def test_white_space_at_the_ends_is_the_files_unless_the_edit_changes_it(
    text: str, old: str, new: str, wanted: str
) -> None:
    assert apply_edit(text, old, new) == wanted


@pytest.mark.parametrize(
    ("text", "old", "wanted"),
    [
        ("a\r\nb\r\nc\r\nd\ne", "d\ne", "a\r\nb\r\nc\r\nx\ny"),
        ("a\nb\nc\nd\r\ne", "d\ne", "a\nb\nc\nx\r\ny"),
        ("a\r\nb\r\n", "a", "x\r\ny\r\nb\r\n"),
    ],
)
def test_new_lines_end_like_the_passage_they_replace_or_else_like_the_text(text: str, old: str, wanted: str) -> None:
    assert apply_edit(text, old, "x\ny") == wanted


@pytest.mark.parametrize("text", ["a  b", "elsewhere", "a b a b"])
def test_an_edit_to_the_same_words_is_none_whatever_the_text(text: str) -> None:
    with pytest.raises(EditNoChange):
        apply_edit(text, "a b", "a b")


@pytest.mark.parametrize("old", ["nowhere", "now  there", "NOW", "here now"])
def test_an_edit_forgives_nothing_else(old: str) -> None:
    with pytest.raises(EditNotFound):
        apply_edit("now here\n", old, "x")


@pytest.mark.parametrize(
    ("text", "old", "count"), [("aaa", "aa", 2), ("x  y\nx\u3000y", "x y", 2), ("猫猫猫", "猫", 3)]
)
def test_several_places_are_counted(text: str, old: str, count: int) -> None:
    with pytest.raises(EditAmbiguous) as several:
        apply_edit(text, old, "z")
    assert several.value.args_ == {"count": count}


@pytest.mark.parametrize(
    ("ours", "theirs", "wanted"),
    [
        ("A\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nD\n"),
        ("a\nb\nc\nd\n", "a\nb\nx\n", "a\nb\nx\n"),
        ("a\nb\nc\nd\ne\n", "0\na\nb\nc\nd\n", "0\na\nb\nc\nd\ne\n"),
        ("A\nb\nc\nd\n", "A\nb\nc\nD\n", "A\nb\nc\nD\n"),
        ("a\nB\nc\nd\n", "a\nb\nc\nD\n", "a\nB\nc\nD\n"),
        ("a\nB\nC\nD\n", "a\nb\nc\nd\n", "a\nB\nC\nD\n"),
        ("A\nb\nc\nd\n", "x\nb\nc\nd\n", None),
        ("A\nb\nc\nd\n", "a\nB\nc\nd\n", None),
        ("a\nb\nc\nd\nours\n", "a\nb\nc\nd\ntheirs\n", None),
        ("", "a\nb\nc\nD\n", None),
    ],
)
def test_changes_apart_are_merged_and_others_refused(ours: str, theirs: str, wanted: str | None) -> None:
    assert merge3("a\nb\nc\nd\n", ours, theirs) == wanted
    assert merge3("a\nb\nc\nd\n", theirs, ours) == wanted


def test_a_diff_shows_every_line() -> None:
    lines = diff_lines("a\nb\nc", "a\nB\nc\nd\n")
    assert [(line.kind, line.text, line.old_line, line.new_line) for line in lines] == [
        ("same", "a", 1, 1),
        ("removed", "b", 2, None),
        ("added", "B", None, 2),
        ("same", "c", 3, 3),
        ("added", "d", None, 4),
    ]
    same = [(line.text, line.old_line, line.new_line) for line in diff_lines("a\nb\nc\n", "x\na\nb\nc\n")[1:]]
    assert same == [("a", 1, 2), ("b", 2, 3), ("c", 3, 4)]
    assert count_changes("a\nb\nc", "a\nB\nc\nd\n") == (2, 1)
    assert diff_lines("", "") == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("plain 文字 é", 0),
        ("a\u200bb\u2060", 2),
        ("\u202eabc\u202c", 2),
        ("👨\u200d👩\u200d👧 ❤\ufe0f 🏳\ufe0f\u200d🌈 👩🏽\u200d🚀 👩\u200d⚕\ufe0f 1\ufe0f\u20e3", 0),
        ("a\u200db", 1),
        ("می\u200cخواهم क्\u200dष", 0),
        ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", 0),
        ("hi\U000e0068\U000e0069", 2),
        ("\ufe0f", 1),
        ("⭐\ufe0f", 0),
        ("⭐\ufe0f\ufe0f a\ufe0f", 2),
        ("葛\U000e0100", 1),
        ("a\u00a0b\u3000c\r\n", 0),
        ("a\u3164b\u2800c\ufffcd", 3),
    ],
)
def test_hidden_characters_are_counted_and_emoji_joiners_are_not(text: str, count: int) -> None:
    assert count_unseen(text) == count


@pytest.mark.parametrize(
    ("start", "after", "share"),
    [
        ("", "anything", 0.0),
        ("- a\n- b\n- c\n- d\n", "* a\n1. b\n  c\n\n", 0.25),
        ("- 喜欢 猫\n", "主人喜欢\u3000猫\n", 0.0),
        ("# A\nB\n", "", 1.0),
        ("\n\n - \n", "", 0.0),
        ("- [ ] call\n", "- [x] call\n", 0.0),
        ("a\nb\n", "ab", 0.0),
    ],
)
def test_the_dropped_share_ignores_white_space_and_marks(start: str, after: str, share: float) -> None:
    assert dropped_line_ratio(start, after) == share


@pytest.mark.parametrize(
    ("start", "after", "dropped"),
    [
        ("I live in Rome.\n", "I live in Oslo.\n", 0),  # corrected
        ("a\nb\nc\n", "a\nx\nc\n", 0),
        ("a\nb\nc\nd\n", "a\nx\n", 2),  # one line replaces three
        ("a\nb\nc\n", "x\ny\nz\n", 0),
        ("a\nb\nc\n", "c\n", 2),
        ("a\nb\nc\nd\n", "d\nc\nb\na\n", 0),  # moved
        ("a\nb\n\nc\nd\n", "new\na\nb\n", 2),  # a line added elsewhere makes up for none
    ],
)
def test_a_line_with_a_new_one_in_its_place_is_not_dropped(start: str, after: str, dropped: int) -> None:
    assert dropped_line_count(start, after) == dropped
