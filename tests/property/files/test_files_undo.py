"""Every write can be undone byte for byte, whatever the file looked like."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pet.errors import PetError
from pet.model import MISSING, Author, Present
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import decode_text, normalize_newlines
from tests.support.clocks import DayClock

LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["", "- tea", "- 喜欢猫", "  - 猫\u3000", "👨‍👩‍👧 家", "e\u0301te\u0301", "# 主人", "\ufeffx"]
        ),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), max_size=8),
    ),
    max_size=8,
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Bytes of a text file: BOM or not, line ends of all kinds, a last one or none."""
    text = "".join(line + draw(ENDS) for line in draw(LINES)) + draw(st.sampled_from(["", "last", "最后"]))
    return (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()


def _store(folder: str) -> WorkspaceStore:
    root = Path(folder, "pet")
    root.mkdir()
    return WorkspaceStore(root, locks=Path(folder, "locks"), clock=DayClock())


@given(before=st.none() | files(), texts=st.lists(LINES.map("\n".join), min_size=1, max_size=4))
def test_every_write_can_be_undone_byte_for_byte(before: bytes | None, texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = _store(folder)
        file = store.root / "USER.md"
        if before is not None:
            file.write_bytes(before)
        receipts = []
        stages = []
        for text in texts:
            state = store.read("USER.md")
            stages.append(file.read_bytes() if file.exists() else None)
            base = state.version if isinstance(state, Present) else MISSING
            receipts.append(store.write("USER.md", text, base=base, author=Author.PET))
            written = store.read("USER.md")
            assert isinstance(written, Present)
            assert normalize_newlines(written.text).lstrip("\ufeff").removesuffix("\n") == text.lstrip(
                "\ufeff"
            ).removesuffix("\n")
        for receipt, stage in zip(reversed(receipts), reversed(stages), strict=True):
            if receipt is not None:
                store.undo(receipt, author=Author.OWNER)
            assert (file.read_bytes() if file.exists() else None) == stage


@given(data=files())
def test_what_was_read_can_be_saved_without_a_change(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = _store(folder)
        (store.root / "SOUL.md").write_bytes(data)
        state = store.read("SOUL.md")
        assert isinstance(state, Present)
        assert store.write("SOUL.md", normalize_newlines(state.text), base=state.version, author=Author.OWNER) is None
        assert (store.root / "SOUL.md").read_bytes() == data


@given(data=files(), line=st.sampled_from(["- tea", "- 喜欢猫", "# 主人", "new"]), at=st.integers(0, 8))
def test_lines_that_stay_keep_their_own_line_end(data: bytes, line: str, at: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = _store(folder)
        file = store.root / "USER.md"
        file.write_bytes(data)
        state = store.read("USER.md")
        assert isinstance(state, Present)
        lines = normalize_newlines(state.text).split("\n")
        lines.insert(min(at, len(lines) - 1), line)
        store.write("USER.md", "\n".join(lines), base=state.version, author=Author.PET)
        after = decode_text(file.read_bytes())
        assert after.bom == data.startswith(b"\xef\xbb\xbf")
        old, new = state.text.splitlines(keepends=True), after.text.splitlines(keepends=True)
        assert not (set(old[:-1]) - set(new))


@given(data=st.binary(max_size=40))
def test_any_bytes_are_text_or_a_visible_error(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = _store(folder)
        file = store.root / "MEMORY.md"
        file.write_bytes(data)
        state = store.read("MEMORY.md")
        if isinstance(state, Present):
            return
        try:
            store.write("MEMORY.md", "new", base=MISSING, author=Author.PET)
        except PetError:
            assert file.read_bytes() == data
        else:
            raise AssertionError("overwritten")
