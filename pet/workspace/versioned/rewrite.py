"""Change a text that other programs may be changing concurrently, by repeating the change on conflict."""

from __future__ import annotations

from collections.abc import Callable

from pet.errors import FileBroken, FileConflict
from pet.model import MISSING, Author, Broken, Present, Receipt, Source
from pet.workspace.text.encoded_text import normalize_newlines
from pet.workspace.versioned.store import WorkspaceStore

_TRIES = 100  # with concurrent writers at least one of them succeeds per attempt


def rewrite_text(
    store: WorkspaceStore,
    name: str,
    change: Callable[[str | None], str],
    *,
    author: Author,
    source: Source | None = None,
    check: Callable[[], None] | None = None,
) -> Receipt | None:
    """Replace the file's text by ``change`` of it; None if that left it unchanged.

    ``change`` gets the current text with ``\\n`` line ends, None without a file, and is called again after a
    concurrent write. Raises FileBroken, what ``change`` raises, and as the store's ``write``.
    """
    for _ in range(_TRIES):
        state = store.read(name)
        if isinstance(state, Broken):
            raise FileBroken(file=name, problem=state.problem)
        current = normalize_newlines(state.text) if isinstance(state, Present) else None
        base = state.version if isinstance(state, Present) else MISSING
        text = change(current)
        if text == (current or ""):
            return None
        try:
            return store.write(name, text, base=base, author=author, source=source, check=check)
        except FileConflict:
            continue
    raise FileConflict(file=name)
