"""What was forgotten isn't learned again, and its tombstone doesn't hold it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from pet.errors import ForgetTooShort, WriteFailed
from pet.untrusted.regular_files import settled_stamp
from pet.workspace import tombstones
from pet.workspace.tombstones import SearchPatterns, TombstoneStore, check_length
from tests.support.files import unreadable
from tests.support.waiting import wait_for


def _forgotten(folder: Path, *texts: str) -> TombstoneStore:
    forgotten = TombstoneStore(folder)
    for text in texts:
        forgotten.remember(text, locks=folder / "locks")
    return forgotten


def test_it_is_found_anywhere_in_a_text_in_any_spelling(tmp_path: Path) -> None:
    forgotten = _forgotten(tmp_path, "Anna's secret", "蓝色")
    assert forgotten.is_forgotten("I know ANNA'S\u3000Secret, don't I")
    assert forgotten.is_forgotten("一只蓝色的猫")
    assert not forgotten.is_forgotten("Anna's secre")
    assert not forgotten.is_forgotten("蓝，色")
    assert not forgotten.is_forgotten("")


@pytest.mark.parametrize(
    ("text", "learned", "blocked"),
    [
        ("Tom", "We meet tomorrow at the bottom", "Tom's cake, and Toms shop"),
        ("Ana", "La semana que viene, mañana y la ventana", "Habló con «Ana»."),
        ("Anna", "Eine Wannanlage", "Annas Hund"),
        ("Аня", "Завтра баняня", "с Аней, или Аня"),
        ("小猫", "小狗", "两只小猫咪在这"),
        ("555", "55", "at 1555 Main Street"),
    ],
)
def test_inside_a_longer_word_it_does_not_count(tmp_path: Path, text: str, learned: str, blocked: str) -> None:
    forgotten = _forgotten(tmp_path, text)
    assert not forgotten.is_forgotten(learned)
    assert forgotten.is_forgotten(blocked)


def test_tombstones_are_read_again_only_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten, other = _forgotten(tmp_path, "blue"), TombstoneStore(tmp_path)
    kept = tmp_path / ".history"
    wait_for("the stamps", lambda: settled_stamp(kept) and settled_stamp(kept / tombstones.FILE))
    assert other.is_forgotten("a blue hat") and not other.is_forgotten("a green hat")
    with monkeypatch.context() as patched:
        patched.setattr(tombstones, "open_folder", None)
        assert other.is_forgotten("a blue hat")
    forgotten.remember("green", locks=tmp_path / "locks")
    assert other.is_forgotten("a green hat")


def test_what_the_owner_says_again_may_be_written_again(tmp_path: Path) -> None:
    forgotten = _forgotten(tmp_path, "Anna", "Lisbon")
    assert not forgotten.is_forgotten("Anna is here", owner_text="Tell me of anna")
    assert forgotten.is_forgotten("Anna is in Lisbon", owner_text="Tell me of anna")


def test_another_program_of_the_same_pet_knows_it_at_once(tmp_path: Path) -> None:
    early = TombstoneStore(tmp_path)
    assert not early.is_forgotten("Anna")
    _forgotten(tmp_path, "Anna")
    assert early.is_forgotten("Anna")


def test_a_conflict_copy_of_the_tombstones_counts(tmp_path: Path) -> None:
    _forgotten(tmp_path, "Anna")
    file = tmp_path / ".history" / "forgotten.json"
    file.rename(file.with_name("forgotten.sync-conflict-20260224-143000-ABCDEFG.json"))
    _forgotten(tmp_path, "Lisbon")
    assert TombstoneStore(tmp_path).is_forgotten("Anna")
    assert TombstoneStore(tmp_path).is_forgotten("Lisbon")


def test_the_file_holds_no_text_and_says_each_thing_once(tmp_path: Path) -> None:
    _forgotten(tmp_path, "Anna's secret", "ANNA'S SECRET", "Lisbon")
    data = (tmp_path / ".history" / "forgotten.json").read_bytes()
    assert b"nna" not in data
    assert b"isbo" not in data
    assert len(json.loads(data)["texts"]) == 2


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"salt":"x","texts":[]}', b'{"salt":"00","texts":[1]}'])
def test_a_broken_file_counts_as_none(tmp_path: Path, broken: bytes) -> None:
    (tmp_path / ".history").mkdir()
    (tmp_path / ".history" / "forgotten.json").write_bytes(broken)
    assert not TombstoneStore(tmp_path).is_forgotten("Anna")
    assert _forgotten(tmp_path, "Anna").is_forgotten("Anna")


def test_a_file_that_can_not_be_read_for_a_moment_is_not_written_over_and_counts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program holds it, say: what was forgotten must not be learned again for that."""
    _forgotten(tmp_path, "Anna")
    file = tmp_path / ".history" / "forgotten.json"
    before, late = file.read_bytes(), TombstoneStore(tmp_path)
    with monkeypatch.context() as unreadable:
        unreadable.setattr(tombstones, "_LIMIT", 10)
        assert not late.is_forgotten("Anna")
        with pytest.raises(WriteFailed):
            _forgotten(tmp_path, "Lisbon")
    assert file.read_bytes() == before
    assert late.is_forgotten("Anna")


def test_a_copy_that_can_not_be_read_keeps_the_others_from_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that a sync program has not fetched yet, say."""
    _forgotten(tmp_path, "Anna")
    file = tmp_path / ".history" / "forgotten.json"
    copy = file.with_name("forgotten (1).json")
    copy.write_bytes(file.read_bytes())
    with unreadable(monkeypatch, copy.name):
        assert TombstoneStore(tmp_path).is_forgotten("Anna")
    copy.unlink()
    known = TombstoneStore(tmp_path)
    assert known.is_forgotten("Anna")
    with unreadable(monkeypatch, file.name):
        copy.write_bytes(b"{}")
        assert known.is_forgotten("Anna")


@pytest.mark.parametrize("text", ["", " ", "a", "ab", "猫", " a b ", "\u200b\u200b\u200b", "é!"])
def test_texts_that_stand_in_everything_are_refused(text: str) -> None:
    with pytest.raises(ForgetTooShort):
        check_length(text)
    with pytest.raises(ForgetTooShort):
        SearchPatterns.of(["fine", text])


@pytest.mark.parametrize("text", ["abc", "小猫", "a b c", "555", "é!?"])
def test_short_texts_that_mean_something_are_taken(text: str) -> None:
    check_length(text)


def test_every_window_of_a_long_text_is_looked_at(tmp_path: Path) -> None:
    chance = random.Random(7)
    letters = "etaoinshrdlu 小猫喜欢鱼"
    texts = ["".join(chance.choices(letters, k=chance.randint(4, 60))).strip() + "ends" for _ in range(50)]
    forgotten = _forgotten(tmp_path, *texts)
    around = "".join(chance.choices(letters, k=20_000))
    assert not forgotten.is_forgotten(around)
    for text in texts:
        place = chance.randrange(len(around))
        assert forgotten.is_forgotten(f"{around[:place]} {text} {around[place:]}")


@pytest.mark.parametrize(
    ("wanted", "again"),
    [
        ("蓝色桑给巴尔", "蓝色\n  桑给 **巴尔**"),
        ("Zanzibar", "Zan-\nzi\u200ebar"),
        ("Zanzibar", "Zan\u00ad\nzibar"),
        ("a-\nbcd", "abcd"),
        ("路，12号", "路，\n  12号"),
        (", 12 Main St", "路，12 Main St"),
        ("blue Zanzibar", "> blue\n> Zan\\*zibar"),
        ("blue Zanzibar", "blue<br>Zan<b>zi</b>bar"),
    ],
)
def test_a_forgotten_phrase_is_known_again_when_broken_up(tmp_path: Path, wanted: str, again: str) -> None:
    assert _forgotten(tmp_path, wanted).is_forgotten(again)


def test_tombstones_of_earlier_versions_count(tmp_path: Path) -> None:
    """Their hashes are of texts in which a space between Chinese characters counts."""
    file = tmp_path / ".history" / "forgotten.json"
    file.parent.mkdir()
    stone = {"length": 5, "anchor": "iegl", "hash": "0846d20f6980ae814ec76cca9ecd3afe"}
    file.write_text(json.dumps({"version": 1, "salt": bytes(range(16)).hex(), "texts": [stone]}))
    assert TombstoneStore(tmp_path).is_forgotten("我的蓝色 桑给")
    both = _forgotten(tmp_path, "Lisbon")
    assert both.is_forgotten("我的蓝色 桑给")
    assert both.is_forgotten("LIS**BON**")


def test_tombstones_made_when_a_space_beside_chinese_punctuation_counted_do_too(tmp_path: Path) -> None:
    file = tmp_path / ".history" / "forgotten.json"
    file.parent.mkdir()
    stone = {"length": 11, "anchor": "fdjg", "hash": "132f3fb265c80af24be33caf2fe54449", "form": 2}
    file.write_text(json.dumps({"version": 1, "salt": bytes(range(16)).hex(), "texts": [stone]}))
    forgotten = TombstoneStore(tmp_path)
    assert forgotten.is_forgotten("我的密码： hunter2")
    assert not forgotten.is_forgotten("我的密码")


def test_tombstones_made_when_escapes_and_tags_counted_do_too(tmp_path: Path) -> None:
    file = tmp_path / ".history" / "forgotten.json"
    file.parent.mkdir()
    stone = {"length": 12, "anchor": "cpll", "hash": "a7c3425e7bea7eb30bf55061029dd5b7", "form": 3}
    file.write_text(json.dumps({"version": 1, "salt": bytes(range(16)).hex(), "texts": [stone]}))
    forgotten = TombstoneStore(tmp_path)
    assert forgotten.is_forgotten("to Zan\\*zi<b>bar")
    assert not forgotten.is_forgotten("to Zanzibar")
