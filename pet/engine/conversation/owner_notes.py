"""Append a note to today's log on the owner's request: "save it now", ``/remember``.

An owner's act: bypasses the gate and redaction, and enters no request.
"""

from __future__ import annotations

from dataclasses import replace

from pet.clock import Clock
from pet.engine.services import EngineServices
from pet.engine.transcript_writer import TranscriptWriter
from pet.errors import EmptyContent
from pet.events import ToolEnded, ToolStarted
from pet.ids import new_id
from pet.model import Author, Receipt, Source
from pet.tools.spec import ToolOutcome
from pet.transcripts.conversation.model import Turn
from pet.transcripts.store import Transcript
from pet.workspace.file_names import log_name
from pet.workspace.versioned.rewrite import rewrite_text
from pet.workspace.versioned.store import WorkspaceStore

_REMEMBER = "remember"  # the tool name recorded in the transcript


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


def save_message(around: EngineServices, transcript: Transcript, turn: Turn) -> Receipt | None:
    """Save the owner's message of a turn; record it there and announce it. None if it was saved before.

    Raises as ``save_note``.
    """
    written = (done for done in turn.besides if done.tool == _REMEMBER and done.receipt)
    if any(turn.state_of(done) == "standing" for done in written):
        return None
    source = Source(conversation=transcript.id, turn=turn.id)
    receipt = save_note(around.store, around.clock, turn.text, source)
    call, outcome = f"remember_{new_id()}", ToolOutcome(text="", receipt=receipt)
    TranscriptWriter(transcript, turn.id, around.clock).done_beside(call, _REMEMBER, receipt.file, outcome)
    told = {"conversation": transcript.id, "turn": turn.id, "call": call}
    around.emit(ToolStarted(**told, round=0, tool=_REMEMBER, file=receipt.file))
    around.emit(ToolEnded(**told, error=None, receipt=receipt))
    return receipt
