"""Reading, writing, editing, and what each of them leaves behind."""

from __future__ import annotations

import errno
import os
import signal

import pytest

from pet.errors import (
    EditAmbiguous,
    EditNoChange,
    EditNotFound,
    EmptyQuery,
    FileBroken,
    FileConflict,
    FileFull,
    FileMissing,
    PathRefused,
    TextRefused,
    VersionUnknown,
    WriteFailed,
)
from pet.events import WorkspaceChanged
from pet.fs.directory import version_of
from pet.model import MISSING, Author, Broken, Missing, Present, Receipt, Source
from pet.workspace.store import FileLimits, WorkspaceStore
from tests.support.files import has_mode, make_pipe, unreadable
from tests.workspace.conftest import Desk

SOURCE = Source(conversation="c1", turn="t1")


def present(desk: Desk, name: str) -> Present:
    state = desk.store.read(name)
    assert isinstance(state, Present)
    return state


def test_a_new_file_is_written_and_announced(desk: Desk) -> None:
    receipt = desk.store.write("MEMORY.md", "- 主人喜欢猫\n", base=MISSING, author=Author.PET, source=SOURCE)
    assert receipt is not None
    assert (receipt.before, receipt.added, receipt.removed, receipt.merged) == (MISSING, 1, 0, False)
    assert receipt.history_id == MISSING
    assert desk.bytes("MEMORY.md") == "- 主人喜欢猫\n".encode()
    assert has_mode(desk.root / "MEMORY.md", 0o600)
    [told] = desk.told
    assert (told.file, told.version, told.author, told.lost) == ("MEMORY.md", receipt.after, Author.PET, None)
    assert desk.strays() == []


def test_reading_a_file_that_is_not_there_leaves_no_trace(desk: Desk) -> None:
    assert desk.store.read("memory/2026-02-24.md") == Missing(name="memory/2026-02-24.md")
    assert list(desk.root.iterdir()) == []


def test_only_the_prompt_takes_a_file_as_it_was_read_last(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pet.untrusted.regular_files._FINE_NS", 0)  # as if the file were older
    monkeypatch.setattr("pet.untrusted.regular_files._COARSE_NS", 0)
    desk.put("USER.md", b"tea\n")
    before = desk.store.read_for_prompt("USER.md")
    with unreadable(monkeypatch, "USER.md"):
        assert desk.store.read_for_prompt("USER.md") is before
        assert isinstance(desk.store.read("USER.md"), Broken)
    desk.put("USER.md", b"coffee\n")
    assert desk.store.read_for_prompt("USER.md") == desk.store.read("USER.md") != before


def test_a_write_on_a_stale_base_changes_nothing(desk: Desk) -> None:
    desk.put("USER.md", b"one\n")
    stale = present(desk, "USER.md").version
    desk.put("USER.md", b"two\n")
    with pytest.raises(FileConflict):
        desk.store.write("USER.md", "three\n", base=stale, author=Author.OWNER)
    with pytest.raises(FileConflict):
        desk.store.write("USER.md", "three\n", base=MISSING, author=Author.OWNER)
    with pytest.raises(FileConflict):
        desk.store.edit("USER.md", "two", "2", base=stale, author=Author.OWNER)
    assert desk.bytes("USER.md") == b"two\n"


def test_the_same_text_is_no_change(desk: Desk) -> None:
    desk.put("USER.md", b"\xef\xbb\xbfone\r\ntwo")
    state = present(desk, "USER.md")
    assert desk.store.write("USER.md", "one\ntwo", base=state.version, author=Author.OWNER) is None
    assert len(desk.store.history("USER.md")) == 1


def test_form_of_the_file_survives_a_write(desk: Desk) -> None:
    desk.put("USER.md", b"\xef\xbb\xbfone\r\ntwo\nthree\r\nfour")
    base = present(desk, "USER.md").version
    desk.store.write("USER.md", "one\nnew\ntwo\nthree\nfour!\n", base=base, author=Author.OWNER)
    assert desk.bytes("USER.md") == b"\xef\xbb\xbfone\r\nnew\r\ntwo\nthree\r\nfour!"


def test_an_edit_changes_its_match_only(desk: Desk) -> None:
    desk.put("USER.md", "\ufeff# 主人\r\n名字：\u3000小红  \r\n\t- tea\r\n".encode())
    receipt = desk.store.edit("USER.md", "名字： 小红", "名字：小明", author=Author.PET, source=SOURCE)
    assert desk.bytes("USER.md") == "\ufeff# 主人\r\n名字：小明  \r\n\t- tea\r\n".encode()
    assert (receipt.added, receipt.removed) == (1, 1)


def test_each_failing_edit_has_its_own_error(desk: Desk) -> None:
    with pytest.raises(FileMissing):
        desk.store.edit("USER.md", "a", "b", author=Author.PET)
    desk.put("USER.md", b"tea\ntea\n")
    with pytest.raises(EditNotFound):
        desk.store.edit("USER.md", "coffee", "b", author=Author.PET)
    with pytest.raises(EditAmbiguous) as several:
        desk.store.edit("USER.md", "tea", "b", author=Author.PET)
    assert several.value.args_ == {"count": 2}
    with pytest.raises(EditNoChange):
        desk.store.edit("USER.md", "tea\ntea", "tea\ntea", author=Author.PET)
    with pytest.raises(EmptyQuery):
        desk.store.edit("USER.md", " \n", "b", author=Author.PET)
    assert desk.bytes("USER.md") == b"tea\ntea\n"


@pytest.mark.parametrize("text", ["a\0b", "half \ud83d a face"])
def test_text_that_no_file_can_hold_is_refused(desk: Desk, text: str) -> None:
    with pytest.raises(TextRefused):
        desk.store.write("USER.md", text, base=MISSING, author=Author.PET)
    assert desk.store.read("USER.md") == Missing(name="USER.md")


def test_a_file_may_not_grow_over_its_limit(desk: Desk) -> None:
    store = desk.open(FileLimits(max_bytes=10))
    store.write("USER.md", "0123456789", base=MISSING, author=Author.PET)
    with pytest.raises(FileFull):
        store.edit("USER.md", "9", "9!", author=Author.PET)
    assert desk.bytes("USER.md") == b"0123456789"


def test_what_check_raises_stops_the_write(desk: Desk) -> None:
    desk.put("USER.md", b"one\n")

    def refuse() -> None:
        assert desk.strays() != [], "asked at the last moment, with the new text ready"
        raise PathRefused

    with pytest.raises(PathRefused):
        desk.store.edit("USER.md", "one", "two", author=Author.PET, check=refuse)
    assert desk.bytes("USER.md") == b"one\n"
    assert desk.strays() == []
    assert [kept.author for kept in desk.store.history("USER.md")] == [Author.OUTSIDE]


def test_a_read_only_file_stays_as_it_is(desk: Desk) -> None:
    desk.put("SOUL.md", b"me\n")
    (desk.root / "SOUL.md").chmod(0o444)
    with pytest.raises(WriteFailed):
        desk.store.edit("SOUL.md", "me", "you", author=Author.OWNER)
    assert desk.bytes("SOUL.md") == b"me\n"


def test_the_mode_of_a_file_survives(desk: Desk) -> None:
    desk.put("SOUL.md", b"me\n")
    (desk.root / "SOUL.md").chmod(0o640)
    desk.store.edit("SOUL.md", "me", "you", author=Author.OWNER)
    assert has_mode(desk.root / "SOUL.md", 0o640)


def test_what_is_not_plain_text_is_broken_and_never_overwritten(desk: Desk) -> None:
    outside = desk.folder / "secret"
    outside.write_text("secret")
    cases = {
        "SOUL.md": ("not_utf8", "你好".encode("gbk")),
        "USER.md": ("not_utf8", "hi\n".encode("utf-16")),
        "MEMORY.md": ("not_utf8", b"a\0b"),
        "TOOLS.md": ("too_large", b"x" * ((1 << 20) + 1)),
    }
    for name, (_, data) in cases.items():
        desk.put(name, data)
    (desk.root / "AGENTS.md").symlink_to(outside)
    (desk.root / "IDENTITY.md").mkdir()
    pipes = make_pipe(desk.root / "HEARTBEAT.md")
    (desk.root / "memory").symlink_to(desk.folder)
    problems = {name: problem for name, (problem, _) in cases.items()}
    problems |= {"AGENTS.md": "link", "IDENTITY.md": "not_a_file"} | dict.fromkeys(pipes, "not_a_file")
    problems |= {"memory/2026-02-24.md": "link"}
    for name, problem in problems.items():
        state = desk.store.read(name)
        assert isinstance(state, Broken), name
        assert state.problem == problem
        for base in (state.version, MISSING):
            with pytest.raises(FileBroken) as broken:
                desk.store.write(name, "new", base=base, author=Author.OWNER)
            assert broken.value.problem == problem
        with pytest.raises(FileBroken):
            desk.store.edit(name, "a", "b", author=Author.OWNER)
    for name, (_, data) in cases.items():
        assert desk.bytes(name) == data
    assert outside.read_text() == "secret"
    assert desk.store.history("USER.md")[0].version == version_of(cases["USER.md"][1])


def test_undo_is_byte_for_byte_and_can_be_undone(desk: Desk) -> None:
    before = "\ufeffa\r\nb\nc".encode()
    desk.put("USER.md", before)
    receipt = desk.store.edit("USER.md", "b", "B", author=Author.PET, source=SOURCE)
    after = desk.bytes("USER.md")
    undone = desk.store.undo(receipt, author=Author.OWNER)
    assert desk.bytes("USER.md") == before
    assert desk.store.undo(receipt, author=Author.OWNER) is None
    assert undone is not None
    desk.store.undo(undone, author=Author.OWNER)
    assert desk.bytes("USER.md") == after
    assert [kept.author for kept in desk.store.history("USER.md")] == [
        Author.OWNER,
        Author.OWNER,
        Author.PET,
        Author.OUTSIDE,
    ]


def test_undo_of_a_creation_removes_the_file_and_keeps_its_text(desk: Desk) -> None:
    receipt = desk.store.write("MEMORY.md", "- one\n", base=MISSING, author=Author.PET)
    assert receipt is not None
    removed = desk.store.undo(receipt, author=Author.OWNER)
    assert removed is not None
    assert removed.after == MISSING
    assert desk.store.read("MEMORY.md") == Missing(name="MEMORY.md")
    assert desk.store.version_bytes("MEMORY.md", removed.history_id) == b"- one\n"
    desk.store.undo(removed, author=Author.OWNER)
    assert desk.bytes("MEMORY.md") == b"- one\n"


def test_undo_goes_around_later_changes_or_refuses(desk: Desk) -> None:
    desk.put("USER.md", b"1\n2\n3\n4\n5\n")
    receipt = desk.store.edit("USER.md", "2", "two", author=Author.PET)
    desk.store.edit("USER.md", "5", "five", author=Author.OWNER)
    desk.store.undo(receipt, author=Author.OWNER)
    assert desk.bytes("USER.md") == b"1\n2\n3\n4\nfive\n"
    again = desk.store.edit("USER.md", "2", "two", author=Author.PET)
    desk.store.edit("USER.md", "two", "zwei", author=Author.OWNER)
    with pytest.raises(FileConflict):
        desk.store.undo(again, author=Author.OWNER)
    assert desk.bytes("USER.md") == b"1\nzwei\n3\n4\nfive\n"


def test_undo_takes_one_note_out_of_a_log_whatever_was_noted_after_it(desk: Desk) -> None:
    name, text = "memory/2026-02-24.md", ""
    receipts: list[Receipt] = []
    for at, words in (("09:00:00", "one"), ("09:01:00", "two"), ("09:02:00", "three")):
        base = MISSING if not text else receipts[-1].after
        text = (text or "# Memory Log: 2026-02-24\n") + f"\n## [{at}] fact\n\n{words}\n"
        receipt = desk.store.write(name, text, base=base, author=Author.PET)
        assert receipt is not None
        receipts.append(receipt)
    desk.store.undo(receipts[1], author=Author.OWNER)
    assert desk.bytes(name) == text.replace("\n## [09:01:00] fact\n\ntwo\n", "").encode()
    desk.store.undo(receipts[0], author=Author.OWNER)
    assert desk.bytes(name) == b"# Memory Log: 2026-02-24\n\n## [09:02:00] fact\n\nthree\n"
    with pytest.raises(FileConflict):
        desk.store.undo(receipts[1], author=Author.OWNER)


def test_undo_leaves_lines_that_stand_twice_or_were_changed(desk: Desk) -> None:
    desk.put("MEMORY.md", b"- a\n")
    for later in (b"- a\n- b\n- b\n", b"- a\n- b!\n- c\n"):
        desk.put("MEMORY.md", b"- a\n")
        receipt = desk.store.edit("MEMORY.md", "- a\n", "- a\n- b\n", author=Author.PET)
        desk.put("MEMORY.md", later)
        with pytest.raises(FileConflict):
            desk.store.undo(receipt, author=Author.OWNER)
        assert desk.bytes("MEMORY.md") == later


def test_history_names_who_made_and_who_replaced(desk: Desk) -> None:
    desk.put("USER.md", b"one\n")
    receipt = desk.store.edit("USER.md", "one", "two", author=Author.PET, source=SOURCE)
    newest, oldest = desk.store.history("USER.md")
    assert (newest.author, newest.current, newest.replaced_by, newest.source) == (Author.PET, True, None, SOURCE)
    assert (oldest.author, oldest.current, oldest.replaced_by) == (Author.OUTSIDE, False, Author.PET)
    assert oldest.id == receipt.history_id
    assert (newest.bytes, oldest.bytes) == (4, 4)
    assert desk.store.version_bytes("USER.md", oldest.id) == b"one\n"
    assert desk.store.version_bytes("USER.md", receipt.after) == b"two\n"


def test_a_version_belongs_to_its_file(desk: Desk) -> None:
    receipt = desk.store.write("MEMORY.md", "mine\n", base=MISSING, author=Author.PET)
    assert receipt is not None
    for wanted in (receipt.after, "nothing", "", "../MEMORY.md"):
        with pytest.raises(VersionUnknown):
            desk.store.version_bytes("SOUL.md", wanted)


def test_restore_brings_back_the_very_bytes(desk: Desk) -> None:
    desk.put("SOUL.md", b"\xef\xbb\xbfme\r\n")
    desk.store.observe("SOUL.md")
    [first] = desk.store.history("SOUL.md")
    desk.put("SOUL.md", "坏".encode("gbk"))
    receipt = desk.store.restore("SOUL.md", first.id, author=Author.OWNER)
    assert receipt is not None
    assert desk.bytes("SOUL.md") == b"\xef\xbb\xbfme\r\n"
    assert desk.store.restore("SOUL.md", first.id, author=Author.OWNER) is None
    assert desk.store.version_bytes("SOUL.md", receipt.history_id) == "坏".encode("gbk")


def test_merged_text_shows_both_changes(desk: Desk) -> None:
    desk.put("USER.md", b"1\n2\n3\n")
    desk.store.observe("USER.md")
    base = present(desk, "USER.md").version
    desk.put("USER.md", b"one\n2\n3\n")
    assert desk.store.merged_text("USER.md", "1\n2\nthree\n", base=base) == "one\n2\nthree\n"
    assert desk.store.merged_text("USER.md", "eins\n2\n3\n", base=base) is None
    assert desk.store.merged_text("USER.md", "x", base="unknown") is None


def test_a_write_that_cannot_be_made_says_so(desk: Desk) -> None:
    desk.put("USER.md", b"one\n")
    (desk.root / ".history").write_text("in the way")
    with pytest.raises((WriteFailed, FileBroken)):
        desk.store.edit("USER.md", "one", "two", author=Author.PET)
    assert desk.bytes("USER.md") == b"one\n"


def test_saving_what_the_file_says_already_is_no_conflict(desk: Desk) -> None:
    desk.put("USER.md", b"one\r\n")
    assert desk.store.write("USER.md", "one\n", base="some older version", author=Author.OWNER) is None


def test_a_full_disk_changes_nothing(desk: Desk) -> None:
    resource = pytest.importorskip("resource")
    desk.put("USER.md", b"one\n")
    desk.store.observe("USER.md")
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            # To the program a limit on file size is a disk without space.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            try:
                desk.store.edit("USER.md", "one", "x" * 2000, author=Author.PET)
            except WriteFailed as error:
                code = 0 if error.args_["reason"] == os.strerror(errno.EFBIG) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert desk.bytes("USER.md") == b"one\n"
    assert desk.strays() == []
    assert desk.store.edit("USER.md", "one", "x" * 2000, author=Author.PET).added == 1


def test_a_listener_may_use_the_store(desk: Desk) -> None:
    def listen(told: WorkspaceChanged) -> None:
        if told.file == "USER.md":
            store.write("MEMORY.md", "noted\n", base=MISSING, author=Author.SYSTEM)

    store = WorkspaceStore(desk.root, locks=desk.folder / "locks", clock=desk.clock, on_change=listen)
    store.write("USER.md", "one\n", base=MISSING, author=Author.PET)
    assert desk.bytes("MEMORY.md") == b"noted\n"
