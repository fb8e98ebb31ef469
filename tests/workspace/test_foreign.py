"""Foreign editors take no lock: what they save at the worst moment is neither lost nor does it undo ours."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from pet.errors import FileBroken, FileConflict
from pet.fs.directory import Folder, open_folder, version_of
from pet.model import MISSING, Author, Missing, Present
from pet.workspace.store import FileLimits
from tests.workspace.conftest import Desk


def kept_texts(desk: Desk, name: str) -> list[bytes]:
    return [desk.store.version_bytes(name, kept.id) for kept in desk.store.history(name)]


def once(act: Callable[[], object]) -> Callable[[], None]:
    """``check`` runs right before the swap: the moment nobody can lock against."""
    calls: list[int] = []

    def check() -> None:
        calls.append(1)
        if len(calls) == 1:
            act()

    return check


@pytest.mark.parametrize("save", [Desk.put, Desk.replace])
def test_a_save_between_check_and_swap_is_merged(desk: Desk, save: Callable[[Desk, str, bytes], None]) -> None:
    desk.put("USER.md", b"1\n2\n3\n")
    foreign = once(lambda: save(desk, "USER.md", b"1\n2\nthree\n"))
    receipt = desk.store.edit("USER.md", "1", "one", author=Author.PET, check=foreign)
    assert desk.bytes("USER.md") == b"one\n2\nthree\n"
    assert receipt.merged
    assert (receipt.added, receipt.removed) == (1, 1)
    assert [kept.author for kept in desk.store.history("USER.md")] == [Author.PET, Author.OUTSIDE, Author.OUTSIDE]
    assert kept_texts(desk, "USER.md") == [b"one\n2\nthree\n", b"1\n2\nthree\n", b"1\n2\n3\n"]
    desk.store.undo(receipt, author=Author.OWNER)
    assert desk.bytes("USER.md") == b"1\n2\nthree\n"
    assert desk.strays() == []


@pytest.mark.parametrize("save", [Desk.put, Desk.replace])
def test_an_overlapping_save_stays_and_ours_is_a_conflict(
    desk: Desk, save: Callable[[Desk, str, bytes], None]
) -> None:
    desk.put("USER.md", b"1\n2\n3\n")
    foreign = once(lambda: save(desk, "USER.md", b"uno\n2\n3\n"))
    with pytest.raises(FileConflict):
        desk.store.edit("USER.md", "1", "one", author=Author.PET, check=foreign)
    assert desk.bytes("USER.md") == b"uno\n2\n3\n"
    assert kept_texts(desk, "USER.md") == [b"uno\n2\n3\n", b"1\n2\n3\n"]
    assert desk.told[-1].author is Author.OUTSIDE
    assert desk.strays() == []


def test_a_file_that_appears_meanwhile_is_not_overwritten(desk: Desk) -> None:
    foreign = once(lambda: desk.put("MEMORY.md", b"theirs\n"))
    with pytest.raises(FileConflict):
        desk.store.write("MEMORY.md", "ours\n", base=MISSING, author=Author.PET, check=foreign)
    assert desk.bytes("MEMORY.md") == b"theirs\n"
    assert desk.strays() == []


def test_a_file_that_vanishes_meanwhile_stays_away_and_is_kept(desk: Desk) -> None:
    desk.put("MEMORY.md", b"1\n")
    foreign = once(lambda: (desk.root / "MEMORY.md").unlink())
    with pytest.raises(FileConflict):
        desk.store.edit("MEMORY.md", "1", "2", author=Author.PET, check=foreign)
    state = desk.store.read("MEMORY.md")
    assert isinstance(state, Missing) and state.lost_at
    assert kept_texts(desk, "MEMORY.md") == [b"1\n"]
    assert desk.strays() == []


def test_a_link_put_there_meanwhile_is_not_followed(desk: Desk) -> None:
    outside = desk.folder / "outside"
    outside.write_bytes(b"1\n")
    desk.put("MEMORY.md", b"1\n")

    def swap() -> None:
        (desk.root / "MEMORY.md").unlink()
        (desk.root / "MEMORY.md").symlink_to(outside)

    with pytest.raises(FileBroken):
        desk.store.edit("MEMORY.md", "1", "2", author=Author.PET, check=once(swap))
    assert (desk.root / "MEMORY.md").is_symlink()
    assert outside.read_bytes() == b"1\n"
    assert desk.strays() == []


def test_a_removal_does_not_take_a_newer_text_along(desk: Desk) -> None:
    receipt = desk.store.write("MEMORY.md", "ours\n", base=MISSING, author=Author.PET)
    assert receipt is not None
    desk.put("MEMORY.md", b"ours\nand theirs\n")
    with pytest.raises(FileConflict):
        desk.store.undo(receipt, author=Author.OWNER)
    assert desk.bytes("MEMORY.md") == b"ours\nand theirs\n"


def test_a_late_write_into_the_displaced_file_is_kept_and_announced(desk: Desk) -> None:
    desk.put("USER.md", b"1\n2\n3\n")
    held = os.open(desk.root / "USER.md", os.O_WRONLY)
    try:
        desk.store.edit("USER.md", "1", "one", author=Author.PET)
        os.pwrite(held, b"1\n2\n3\nlate\n", 0)
    finally:
        os.close(held)
    desk.store.observe("USER.md")
    assert desk.bytes("USER.md") == b"one\n2\n3\n"
    assert b"1\n2\n3\nlate\n" in kept_texts(desk, "USER.md")
    assert desk.told[-1].lost is not None
    assert desk.store.version_bytes("USER.md", desk.told[-1].lost) == b"1\n2\n3\nlate\n"
    assert desk.store.history("USER.md")[0].current
    count = len(desk.told)
    desk.store.observe("USER.md")
    assert len(desk.told) == count, "told once"


def test_displaced_files_go_after_a_while(desk: Desk) -> None:
    desk.put("USER.md", b"1\n")
    desk.store.edit("USER.md", "1", "2", author=Author.PET)
    aside = desk.root / ".history" / "displaced"
    assert len(list(aside.iterdir())) == 1
    desk.clock.later(seconds=120)
    desk.store.observe("USER.md")
    assert list(aside.iterdir()) == []


def test_an_outside_change_is_kept_and_announced_once(desk: Desk) -> None:
    desk.put("USER.md", b"1\n")
    desk.store.observe("USER.md")
    desk.store.observe("USER.md")
    assert [(told.file, told.author, told.lost) for told in desk.told] == [("USER.md", Author.OUTSIDE, None)]
    (desk.root / "USER.md").unlink()
    desk.store.observe("USER.md")
    assert desk.told[-1].version == MISSING
    assert kept_texts(desk, "USER.md") == [b"1\n"]


def test_what_a_stale_editor_overwrites_is_announced_and_recoverable(desk: Desk) -> None:
    desk.put("MEMORY.md", b"- one\n- two\n")
    desk.store.edit("MEMORY.md", "- two\n", "- two\n- three\n", author=Author.PET)
    second = desk.store.edit("MEMORY.md", "- three\n", "- three\n- four\n", author=Author.PET)
    desk.put("MEMORY.md", b"- one\n- two\n- theirs\n")
    desk.store.observe("MEMORY.md")
    told = desk.told[-1]
    assert (told.author, told.lost is not None) == (Author.OUTSIDE, True)
    assert told.lost is not None
    assert desk.store.version_bytes("MEMORY.md", told.lost) == b"- one\n- two\n- three\n- four\n"
    restored = desk.store.restore("MEMORY.md", told.lost, author=Author.OWNER)
    assert restored is not None
    assert restored.after == second.after


def test_an_editor_that_knew_our_text_loses_nothing(desk: Desk) -> None:
    desk.put("MEMORY.md", b"- one\n- two\n- a\n- b\n")
    desk.store.edit("MEMORY.md", "- two\n", "- two\n- three\n", author=Author.PET)
    desk.put("MEMORY.md", b"- one\n- two\n- three\n- a\n- their own\n")
    desk.store.observe("MEMORY.md")
    assert desk.told[-1].lost is None


def test_a_text_written_anew_is_no_stale_one(desk: Desk) -> None:
    desk.put("USER.md", b"# You\n- a\n")
    desk.store.edit("USER.md", "- a\n", "- a\n- b\n- c\n- d\n- e\n", author=Author.PET)
    desk.put("USER.md", b"quite another\ntext\n")
    desk.store.observe("USER.md")
    assert desk.told[-1].lost is None


def test_an_owner_who_puts_back_what_their_other_program_spoilt_lost_nothing(desk: Desk) -> None:
    desk.put("USER.md", b"# You\n- a\n- b\n")
    edited = desk.store.edit("USER.md", "- b\n", "- b\n- c\n", author=Author.PET)
    assert edited is not None
    desk.store.restore("USER.md", edited.history_id, author=Author.OWNER)
    good = desk.bytes("USER.md")
    desk.put("USER.md", b"spoilt\n")
    desk.store.observe("USER.md")
    desk.put("USER.md", good)
    desk.store.observe("USER.md")
    assert desk.told[-1].lost is None


def test_a_second_store_tells_what_the_first_wrote(desk: Desk) -> None:
    other = desk.open()
    receipt = desk.store.write("MEMORY.md", "one\n", base=MISSING, author=Author.PET)
    assert receipt is not None
    desk.told.clear()
    other.observe("MEMORY.md")
    assert [(told.version, told.author) for told in desk.told] == [(receipt.after, Author.PET)]


def test_changes_made_while_nobody_watched_are_told_at_the_next_start(desk: Desk) -> None:
    desk.store.write("MEMORY.md", "one\n", base=MISSING, author=Author.PET)
    desk.put("MEMORY.md", b"two\n")
    desk.told.clear()
    desk.open(FileLimits()).observe("MEMORY.md")
    assert [told.author for told in desk.told] == [Author.OUTSIDE]


def on_view(monkeypatch: pytest.MonkeyPatch, desk: Desk, before: Callable[[], object] = lambda: None) -> list[bytes]:
    """What stood in USER.md after each exchange; ``before`` runs before the first of them."""
    seen: list[bytes] = []
    kind: type[Folder] = type(open_folder(desk.root))
    exchange = kind.exchange

    def watched(folder: Folder, temp: str, name: str) -> bool:
        if not seen:
            before()
        done = exchange(folder, temp, name)
        seen.append(desk.bytes("USER.md"))
        return done

    monkeypatch.setattr(kind, "exchange", watched)
    return seen


def test_a_text_that_ends_in_a_conflict_is_never_on_view(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that read it meanwhile would save it, and the caller's next try would add the line once more."""
    seen = on_view(monkeypatch, desk)
    desk.put("USER.md", b"1\n")
    foreign = once(lambda: desk.replace("USER.md", b"1\ntheirs\n"))
    base = desk.store.read("USER.md")
    assert isinstance(base, Present)
    with pytest.raises(FileConflict):
        desk.store.write("USER.md", "1\nours\n", base=base.version, author=Author.PET, check=foreign)
    assert b"1\nours\n" not in seen
    assert desk.bytes("USER.md") == b"1\ntheirs\n"


@pytest.mark.parametrize("save", [Desk.put, Desk.replace])
def test_a_save_in_the_moment_of_the_exchange_is_put_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, save: Callable[[Desk, str, bytes], None]
) -> None:
    desk.put("USER.md", b"1\n2\n3\n")
    seen = on_view(monkeypatch, desk, lambda: save(desk, "USER.md", b"1\n2\nthree\n"))
    desk.store.edit("USER.md", "1", "one", author=Author.PET)
    assert seen == [b"one\n2\n3\n", b"1\n2\nthree\n", b"one\n2\nthree\n"]
    assert kept_texts(desk, "USER.md") == [b"one\n2\nthree\n", b"1\n2\nthree\n", b"1\n2\n3\n"]
    assert desk.strays() == []


def test_a_change_waits_for_a_program_that_is_in_the_middle_of_its_save(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saving in place empties the file first: a change on top of that would leave the rest in the history alone."""
    desk.put("USER.md", b"1\n2\n3\n")
    desk.store.observe("USER.md")
    desk.put("USER.md", b"")
    os.utime(desk.root / "USER.md", (time.time(), time.time()))  # the file system's clock may be another
    monkeypatch.setattr("pet.workspace.locked_file.time.sleep", lambda _: desk.put("USER.md", b"1\n2\nthree\n"))
    with pytest.raises(FileConflict):
        desk.store.write("USER.md", "ours\n", base=version_of(b""), author=Author.PET)
    assert desk.bytes("USER.md") == b"1\n2\nthree\n"
    assert kept_texts(desk, "USER.md") == [b"1\n2\nthree\n", b"1\n2\n3\n"]


def test_a_file_of_which_another_name_lies_outside_is_changed_inside_alone(desk: Desk) -> None:
    outside = desk.folder / "outside.md"
    outside.write_bytes(b"1\n")
    os.link(outside, desk.root / "USER.md")
    receipt = desk.store.edit("USER.md", "1", "2", author=Author.PET)
    assert (desk.bytes("USER.md"), outside.read_bytes()) == (b"2\n", b"1\n")
    desk.store.undo(receipt, author=Author.OWNER)
    os.link(outside, desk.root / "MEMORY.md")
    desk.store.write("MEMORY.md", "3\n", base=version_of(b"1\n"), author=Author.PET)
    desk.clock.later(seconds=120)
    desk.store.observe("USER.md")
    assert outside.read_bytes() == b"1\n"
