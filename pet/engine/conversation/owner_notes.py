"""Append a note to today's log on the owner's request: "save it now", ``/remember``.

An owner's act: bypasses the gate and redaction, and enters no request.
"""

from __future__ import annotations

from dataclasses import replace

from pet.clock import Clock
from pet.errors import EmptyContent, FileBroken, FileConflict
from pet.model import MISSING, Author, Broken, Present, Receipt, Source
from pet.workspace.file_names import log_name
from pet.workspace.text.encoded_text import normalize_newlines
from pet.workspace.versioned.store import WorkspaceStore

REMEMBER = "remember"
"""Tool name recorded in the transcript for it."""

_TRIES = 16  # attempts while other programs keep changing the file


def save_note(store: WorkspaceStore, clock: Clock, text: str, source: Source | None = None) -> Receipt:
    """Write the text as the owner's. Raises EmptyContent, FileBroken, FileConflict, WriteFailed."""
    from pet.memory.daily_log import add_speaker, append_entry, render_entry  # lazy: imports the index
    from pet.memory.noted import noted_text

    if not text.strip():
        raise EmptyContent(file=log_name(clock.now().date()))
    for _ in range(_TRIES):
        now = clock.now()
        name = log_name(now.date())
        state = store.read(name)
        if isinstance(state, Broken):
            raise FileBroken(file=name, problem=state.problem)
        log = normalize_newlines(state.text) if isinstance(state, Present) else ""
        base = state.version if isinstance(state, Present) else MISSING
        entry = render_entry(add_speaker(text, "owner"), at=now.time())
        try:
            receipt = store.write(
                name, append_entry(log, entry, now.date()), base=base, author=Author.OWNER, source=source
            )
        except FileConflict:
            continue
        assert receipt is not None  # an added entry is always a change
        return replace(receipt, noted=(noted_text(text),))
    raise FileConflict(file=log_name(clock.now().date()))
