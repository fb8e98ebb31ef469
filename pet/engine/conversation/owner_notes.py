"""Append a note to today's log on the owner's request: "save it now", ``/remember``.

An owner's act: bypasses the gate and redaction, and enters no request.
"""

from __future__ import annotations

from dataclasses import replace

from pet.clock import Clock
from pet.errors import EmptyContent
from pet.model import Author, Receipt, Source
from pet.workspace.file_names import log_name
from pet.workspace.versioned.rewrite import rewrite_text
from pet.workspace.versioned.store import WorkspaceStore

REMEMBER = "remember"
"""Tool name recorded in the transcript for it."""


def save_note(store: WorkspaceStore, clock: Clock, text: str, source: Source | None = None) -> Receipt:
    """Write the text as the owner's. Raises EmptyContent, FileBroken, FileConflict, WriteFailed."""
    from pet.memory.daily_log import add_speaker, append_entry, render_entry  # lazy: imports the index
    from pet.memory.noted import noted_text

    now = clock.now()
    name = log_name(now.date())
    if not text.strip():
        raise EmptyContent(file=name)
    entry = render_entry(add_speaker(text, "owner"), at=now.time())

    def with_entry(log: str | None) -> str:
        return append_entry(log or "", entry, now.date())

    receipt = rewrite_text(store, name, with_entry, author=Author.OWNER, source=source)
    assert receipt is not None  # an added entry is always a change
    return replace(receipt, noted=(noted_text(text),))
