"""Receipts of a conversation: saving a message, and states (undone, redone, secret kept, restored versions).

Each change of state is a transcript entry, appended after the file changed, so that all windows and the terminal
agree. The file's own history remains the only undo mechanism.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pet.clock import Clock
from pet.engine.conversation_record import ConversationRecord, TranscriptWriter
from pet.engine.services import EngineServices
from pet.errors import EmptyContent, FileConflict, UnknownReceipt, VersionUnknown
from pet.events import ReceiptsChanged, ToolEnded, ToolStarted
from pet.ids import new_id
from pet.language.wishes import stated_fact
from pet.model import Author, CoreFile, Present, Receipt, Source
from pet.tools.tool import ToolOutcome
from pet.transcripts.conversation import Turn
from pet.transcripts.entries import ReceiptChanged, ReceiptState, ToolCompleted
from pet.transcripts.store import Transcript
from pet.workspace.file_names import log_name
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.memory.store.about_owner import Statement

_REMEMBER, _REPLACE = "remember", "replace_earlier"  # tool names recorded in the transcript


def save_note(store: WorkspaceStore, clock: Clock, text: str, source: Source | None = None) -> Receipt:
    """Write the text as the owner's. Raises EmptyContent, FileBroken, FileConflict, WriteFailed."""
    from pet.memory.store.daily_log import add_speaker, append_entry, render_entry
    from pet.memory.store.digest import noted_text

    now = clock.now()
    name = log_name(now.date())
    if not text.strip():
        raise EmptyContent(file=name)
    entry = render_entry(add_speaker(text, "owner"), at=now.time())

    def with_entry(log: str | None) -> str:
        return append_entry(log or "", entry, now.date())

    receipt = store.rewrite(name, with_entry, author=Author.OWNER, source=source)
    assert receipt is not None  # an added entry is always a change
    return replace(receipt, noted=(noted_text(text),))


def save_message(services: EngineServices, transcript: Transcript, turn: Turn) -> Receipt | None:
    """Save what the owner's message of a turn says: a name to USER.md, else to today's log; record it in the turn and
    announce it. None if it was saved before.

    Raises as ``save_note``.
    """
    written = (done for done in turn.besides if done.tool == _REMEMBER and done.receipt)
    if any(turn.state_of(done) == "standing" for done in written):
        return None
    source = Source(conversation=transcript.id, turn=turn.id)
    fact = stated_fact(turn.text)
    receipt = _save_name(services.store, fact, source) or save_note(services.store, services.clock, fact, source)
    add_receipt(services, transcript, turn, _REMEMBER, receipt)
    return receipt


def _save_name(store: WorkspaceStore, fact: str, source: Source) -> Receipt | None:
    """Write a name that the owner told to its place in USER.md. None for another fact, or without an empty place."""
    from pet.language.labels import told_name
    from pet.memory.store.about_owner import with_told_name
    from pet.memory.store.digest import noted_entries

    if not (name := told_name(fact)):
        return None
    profile = CoreFile.USER.value
    texts = ("", "")

    def named(current: str | None) -> str:
        nonlocal texts
        texts = (current or "", with_told_name(current or "", name))
        return texts[1]

    receipt = store.rewrite(profile, named, author=Author.OWNER, source=source)
    return receipt and replace(receipt, noted=noted_entries(profile, *texts))


def add_receipt(services: EngineServices, transcript: Transcript, turn: Turn, tool: str, receipt: Receipt) -> None:
    """Record a change by the owner beside a turn, and announce it."""
    call, outcome = f"{tool}_{new_id()}", ToolOutcome(text="", receipt=receipt)
    TranscriptWriter(transcript, turn.id, services.clock).done_beside(call, tool, receipt.file, outcome)
    names = {"conversation": transcript.id, "turn": turn.id, "call": call}
    services.emit(ToolStarted(**names, round=0, tool=tool, file=receipt.file))
    services.emit(ToolEnded(**names, error=None, receipt=receipt))


def _older_line(store: WorkspaceStore, earlier: str) -> Statement:
    """Return the line of USER.md or MEMORY.md that a note named as earlier. Raises FileConflict unless exactly
    one line matches."""
    from pet.memory.store.about_owner import statements
    from pet.memory.store.daily_log import fact_key
    from pet.memory.store.digest import all_words
    from pet.memory.store.split_entries import bare

    matches: list[Statement] = []
    key = fact_key(earlier)
    for file in (CoreFile.USER, CoreFile.MEMORY):
        state = store.read(file)
        listed = statements(file, state.text) if key and isinstance(state, Present) else ()
        matches += (each for each in listed if fact_key(all_words(bare(each.text))) == key)
    if len(matches) != 1:
        raise FileConflict(file=matches[0].file if matches else CoreFile.USER)
    return matches[0]


def _noted_sentence(store: WorkspaceStore, receipt: Receipt) -> str:
    """Return the receipt's note as one line, without the older line in it. Raises FileConflict if it is gone."""
    from pet.language.labels import strip_owner
    from pet.memory.store.daily_log import parse_log
    from pet.memory.store.digest import noted_text
    from pet.memory.store.split_entries import split_earlier

    state = store.read(receipt.file)
    for entry in parse_log(state.text.split("\n")) if isinstance(state, Present) else ():
        if noted_text(entry.text) in receipt.noted:
            return " ".join(strip_owner(split_earlier(entry.text)[0]).split())
    raise FileConflict(file=receipt.file)


class Receipts:
    """The receipts of one conversation. Thread-safe."""

    def __init__(self, record: ConversationRecord, services: EngineServices) -> None:
        self._conversation = record
        self._services = services
        self._own: list[tuple[int, Receipt]] = []  # the owner's, with the number of entries before each

    def file_of(self, turn_id: str, call: str) -> str:
        """Return the file the call wrote. Raises UnknownReceipt."""
        return self._find(turn_id, call)[2].file

    def undo(self, turn_id: str, call: str) -> Receipt | None:
        """Undo the change, after undoing a kept secret. None: the file already has its previous content.

        Raises UnknownReceipt, FileConflict, VersionUnknown, WriteFailed.
        """
        turn, done, receipt = self._find(turn_id, call)
        change = turn.change_of(done)
        kept = change.receipt if change and change.state == "kept" else None
        undone = self._services.store.undo(kept or receipt, author=Author.OWNER)
        self._record(done, "standing" if kept and kept != receipt else "undone")
        return undone

    def redo(self, turn_id: str, call: str) -> Receipt | None:
        """Redo an undone change. None: already applied. Raises as ``undo``."""
        _turn, done, receipt = self._find(turn_id, call)
        inverse = replace(receipt, before=receipt.after, after=receipt.before)
        redone = self._services.store.undo(inverse, author=Author.OWNER)
        self._record(done, "standing")
        return redone

    def replace_earlier(self, turn_id: str, call: str) -> Receipt | None:
        """Replace the older line that the note of this call names by the note's own sentence, as the owner's change.
        None: they are the same.

        Raises UnknownReceipt, FileConflict if the note or the line is missing or ambiguous, WriteFailed.
        """
        from pet.memory.store.about_owner import replaced
        from pet.memory.store.daily_log import add_speaker
        from pet.memory.store.digest import noted_text

        turn, _done, receipt = self._find(turn_id, call)
        store, clock = self._services.store, self._services.clock
        earlier = next((noted.earlier for noted in receipt.noted if noted.earlier), "")
        if not earlier:
            raise UnknownReceipt
        sentence, older = _noted_sentence(store, receipt), _older_line(store, earlier)
        line = f"{add_speaker(sentence, 'owner')} ({clock.now().date().isoformat()})"

        def change(current: str | None) -> str:
            try:
                return replaced(current or "", older, line)
            except ValueError:
                raise FileConflict(file=older.file) from None

        source = Source(conversation=self._conversation.id, turn=turn.id)
        written = store.rewrite(older.file, change, author=Author.OWNER, source=source)
        if written is not None:
            written = replace(written, noted=(noted_text(sentence),))
            add_receipt(self._services, self._conversation.transcript, turn, _REPLACE, written)
        return written

    def kept(self, turn_id: str, call: str, made: Receipt | None) -> None:
        """Record that a redacted secret was restored by ``made``; None: it was present already. Also in a superseded
        turn.
        """
        for done in self._conversation.transcript.entries:
            if isinstance(done, ToolCompleted) and (done.turn, done.call_id) == (turn_id, call) and done.receipt:
                self._record(done, "kept", made or done.receipt)
                return

    def follow(self, restored: Receipt) -> None:
        """Update states after a file version was restored, which undoes or redoes a change made here."""
        for turn in self._conversation.folded().with_receipts():
            for done in turn.tools:
                receipt = done.receipt
                if receipt is None or receipt.file != restored.file:
                    continue
                change, state = turn.change_of(done), turn.state_of(done)
                latest = (change.receipt if change and state == "kept" else None) or receipt
                if state == "undone":
                    if receipt.after == restored.after:
                        self._record(done, "standing")
                elif (receipt.before, latest.after) == (restored.after, restored.before):
                    self._record(done, "undone")
                elif (latest.before, latest.after) == (restored.after, restored.before):
                    self._record(done, "standing")  # only the secret is gone again

    def last(self) -> tuple[Turn, ToolCompleted] | None:
        """Return the newest change that is not undone: the last one recorded, whichever turn it belongs to."""
        standing = {
            done.id: (turn, done)
            for turn in self._conversation.folded().with_receipts()
            for done in turn.tools
            if done.receipt is not None and turn.state_of(done) in ("standing", "kept")
        }
        return next(
            (standing[each.id] for each in reversed(self._conversation.transcript.entries) if each.id in standing),
            None,
        )

    def keep_own(self, receipt: Receipt) -> None:
        """Let ``undo_last`` undo a change that the owner made here, as long as the program runs: no turn has it."""
        self._own.append((len(self._conversation.transcript.entries), receipt))

    def undo_last(self) -> Receipt | None:
        """Undo the newest change, the pet's or the owner's own, and return it. None: nothing is left to undo.

        Raises as ``undo``.
        """
        while True:
            latest = self.last()
            place = self._place(latest[1]) if latest else -1
            if self._own and place < self._own[-1][0]:
                receipt, undone = self._undo_own()
            elif latest and latest[1].receipt:
                receipt, undone = latest[1].receipt, self.undo(latest[0].id, latest[1].call_id)
            else:
                return None
            if undone is not None:
                return receipt

    def _undo_own(self) -> tuple[Receipt, Receipt | None]:
        """Undo the owner's newest change; one whose versions were forgotten is passed over."""
        receipt, undone = self._own[-1][1], None
        with suppress(VersionUnknown):
            undone = self._services.store.undo(receipt, author=Author.OWNER)
        self._own.pop()
        return receipt, undone

    def _place(self, done: ToolCompleted) -> int:
        entries = self._conversation.transcript.entries
        return next(place for place, each in enumerate(entries) if each.id == done.id)

    def _find(self, turn_id: str, call: str) -> tuple[Turn, ToolCompleted, Receipt]:
        for turn in self._conversation.folded().with_receipts():
            for done in turn.tools:
                if turn.id == turn_id and done.call_id == call and done.receipt is not None:
                    return turn, done, done.receipt
        raise UnknownReceipt

    def _record(self, done: ToolCompleted, state: ReceiptState, receipt: Receipt | None = None) -> None:
        at = self._conversation.now()
        entry = ReceiptChanged(id=new_id(), at=at, turn=done.turn, done=done.id, state=state, receipt=receipt)
        self._conversation.transcript.append(entry, durable=True)
        self._services.emit(ReceiptsChanged(conversation=self._conversation.id))
