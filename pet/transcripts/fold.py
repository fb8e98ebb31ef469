"""Fold a transcript's entries into the conversation they describe, and copy those of a branch. Pure, deterministic.

Decides which turns are active (``TurnOrder``), which text came after memory went OFF (``SaidWhileOff``), how an
unfinished turn ends, and where dividers go. Never drops text: a turn that supersedes an unknown one is appended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import is_not
from threading import Lock

from pet.access import MemoryMode
from pet.ids import new_id
from pet.model import (
    ContextPart,
    ForeignSource,
    ModelChoice,
    RecallWay,
    TextPart,
    TurnEnd,
    Usage,
    UsedMemory,
)
from pet.transcripts.conversation import Conversation, Divider, DividerKind, Round, Summary, Turn
from pet.transcripts.entries import (
    Compacted,
    ContextCleared,
    ContextFound,
    ForeignAllowed,
    Header,
    MemorySet,
    ModelSet,
    OpenerAsked,
    PartialReply,
    ReceiptChanged,
    RoundCompleted,
    SwitchSet,
    TitleSet,
    ToolCompleted,
    TranscriptEntry,
    TurnFinished,
    TurnsRemovedSet,
    Unknown,
    UserMessage,
    VariantSet,
)
from pet.transcripts.foreign import sources_in


@dataclass(slots=True)
class TurnOrder:
    """Active turns in order, and positions between them.

    A removed turn keeps its position, so that it can be restored or superseded. ``parent``: the turn before each,
    fixed when it was added.
    """

    turns: list[str] = field(default_factory=list)
    parent: dict[str, str | None] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    _slot: dict[str, str] = field(default_factory=dict)  # by turn: the first of its variants
    _variants: dict[str, list[str]] = field(default_factory=dict)  # by slot with several: the oldest first
    _followed: dict[str, list[str]] = field(default_factory=dict)  # by inactive turn: the active turns after it

    def take_out(self, change: TurnsRemovedSet) -> None:
        if change.removed:
            self.removed.update(change.turns)
        else:
            self.removed.difference_update(change.turns)

    def add(self, turn: str, supersedes: str | None) -> None:
        """Add a turn: in place of the active variant of ``supersedes``, whose following turns go with it; at the end
        if ``supersedes`` is unknown or None.
        """
        slot = self._slot.get(supersedes, turn) if supersedes is not None else turn
        place = self._place_of(slot)
        if place is None:
            if supersedes is not None:
                self._slot.setdefault(supersedes, turn)
            slot, place = turn, len(self.turns)
        self._leave(place)
        self._slot[turn] = slot
        if slot != turn:
            self._variants.setdefault(slot, [slot]).append(turn)
        self.parent[turn] = self.turns[-1] if self.turns else None
        self.turns.append(turn)

    def choose(self, change: VariantSet) -> None:
        """Make a variant active again, with what followed it. No effect if its position is not on the active path."""
        place = self._place_of(self._slot.get(change.turn, change.turn))
        if place is not None and change.turn in self.parent and self.turns[place] != change.turn:
            self._leave(place)
            self.turns += [change.turn, *self._followed.pop(change.turn, ())]

    def variants(self, turn: str) -> list[str]:
        """Return the turn and its alternatives, in the order they were added."""
        slot = self._slot[turn]
        return self._variants.get(slot, [slot])

    def inactive(self) -> Iterator[tuple[str, str]]:
        """Yield each inactive turn that is not removed, with the active turn that replaced it or one before it."""
        active = set(self.turns)
        if len(active) == len(self.parent):
            return
        by_slot = {self._slot[turn]: turn for turn in self.turns}
        anchors: dict[str, str | None] = {}  # by turn: itself or the nearest before it with an active variant
        for turn, before in self.parent.items():  # each after the one before it
            has_active = self._slot[turn] in by_slot
            at = anchors[turn] = turn if has_active else None if before is None else anchors[before]
            if at is not None and turn not in active and turn not in self.removed:
                yield turn, by_slot[self._slot[at]]

    def position_after(self, anchor: str | None, positions: dict[str, int]) -> int:
        """Return the number of active turns up to ``anchor``, or to the last turn before it that is active.

        ``positions``: index of each active turn.
        """
        while anchor is not None and anchor not in positions:
            anchor = self.parent[anchor]
        return 0 if anchor is None else positions[anchor] + 1

    def _place_of(self, slot: str) -> int | None:
        """Position of the slot's active variant."""
        if self._slot.get(slot) != slot:
            return None
        return next((self.turns.index(each) for each in self.variants(slot) if each in self.turns), None)

    def _leave(self, place: int) -> None:
        if place < len(self.turns):
            self._followed[self.turns[place]] = self.turns[place + 1 :]
            del self.turns[place:]


class SaidWhileOff:
    """State of a scan over a conversation's entries in order."""

    def __init__(self) -> None:
        self._turns: set[str] = set()
        self._off: set[str] = set()

    def take(self, entry: TranscriptEntry) -> bool:
        """Take the next entry; return whether it has text from after memory went OFF in its turn."""
        match entry:
            case UserMessage():
                self._turns.add(entry.turn)
            case MemorySet(memory=False):
                self._off |= self._turns
            case PartialReply() | RoundCompleted() | TurnFinished():
                if entry.off:
                    self._off.add(entry.turn)
                return self.is_off(entry.turn) and _says_something(entry)
            case _:
                pass
        return False

    def is_off(self, turn: str) -> bool:
        """Whether the turn's memory has gone OFF."""
        return turn in self._off


def _says_something(entry: PartialReply | RoundCompleted | TurnFinished) -> bool:
    """Whether the entry has text: a TurnFinished has none for a round that already ended."""
    return not isinstance(entry, TurnFinished) or bool(entry.cut_text)


_SWITCHED: dict[MemoryMode, DividerKind] = {
    MemoryMode.ON: "memory_on",
    MemoryMode.READ_ONLY: "memory_read",
    MemoryMode.OFF: "memory_off",
}


@dataclass(slots=True)
class _TurnState:
    """Accumulated state of one turn. Fields that most turns lack are None: thousands are folded with each message."""

    message: UserMessage
    rounds: dict[int, RoundCompleted] = field(default_factory=dict)
    partial: dict[int, str] | None = None
    results: dict[int, list[ToolCompleted]] | None = None
    closed: TurnFinished | Turn | None = None  # a turn: it was made, and is about to change
    context: tuple[ContextPart, ...] = ()
    used: tuple[UsedMemory, ...] = ()
    foreign: tuple[ForeignSource, ...] = ()  # in the context
    recall_way: RecallWay = "meaning"
    besides: list[ToolCompleted] | None = None
    off: frozenset[int] = frozenset()  # rounds of which something was said while OFF
    changes: dict[str, ReceiptChanged] | None = None  # by the entry with the receipt

    @staticmethod
    def of(turn: Turn) -> _TurnState:
        """Return the state of a turn that has ended, for an entry that is added to it."""
        return _TurnState(
            turn.message,
            closed=turn,
            context=turn.context[len(turn.message.context) :],
            used=turn.used,
            foreign=turn.foreign,
            recall_way=turn.recall_way,
            besides=list(turn.besides),
            changes={change.done: change for change in turn.changes},
        )


@dataclass(frozen=True, slots=True)
class _Mark:
    anchor: str | None  # the turn before it; None: before the first
    at: str
    kind: DividerKind


def fold(entries: Iterable[TranscriptEntry], running: str | None = None) -> Conversation:
    """Return the conversation. ``running`` is the current turn; any other unfinished turn counts as cut."""
    reading = _Reading()
    for entry in entries:
        reading.take(entry)
    return reading.result(running)


class GrowingFold:
    """The fold of a transcript that grows, equal to ``fold`` of its entries. Thread-safe.

    Each entry is read once, and a turn that has ended is made once: a message took most of its time for
    folding thousands of turns several times.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._reading = _Reading()
        self._read: tuple[TranscriptEntry, ...] = ()
        self._last: tuple[str | None, Conversation] | None = None  # of ``_read``, and the turn that ran

    def conversation(self, entries: tuple[TranscriptEntry, ...], running: str | None = None) -> Conversation:
        """Return the conversation, the same object while nothing changed. ``running`` as in ``fold``."""
        with self._lock:
            if entries is not self._read:
                self._take(entries)
            if self._last is None or self._last[0] != running:
                self._last = running, self._reading.result(running)
            return self._last[1]

    def _take(self, entries: tuple[TranscriptEntry, ...]) -> None:
        """Read what was added; everything where an entry before that is another: a merge, or a text was forgotten."""
        done = len(self._read)
        last = entries[done - 1] if 0 < done <= len(entries) else None
        if isinstance(last, PartialReply) and last is not self._read[-1] and last.replaces(self._read[-1]):
            done -= 1  # taken again, over its earlier state
        if done > len(entries) or any(map(is_not, self._read[:done], entries)):
            self._reading, done = _Reading(), 0
        for entry in entries[done:]:
            self._reading.take(entry)
        self._read, self._last = entries, None


def switches_of(entries: Sequence[TranscriptEntry]) -> frozenset[str]:
    """Return the names of the extras' switches that are on, without folding."""
    on: dict[str, bool] = {}
    for entry in entries:
        match entry:
            case SwitchSet(name=name, on=now):
                on[name] = now
            case MemorySet(unreadable=True):
                on.clear()
            case _:
                pass
    return frozenset(name for name, now in on.items() if now)


class _Reading:
    """State of the fold while it iterates over the entries."""

    def __init__(self) -> None:
        self._id = ""
        self._title = ""
        self._model: ModelChoice | None = None
        self._opening = self._about = ""
        self._memory_mode: MemoryMode | None = None
        self._updated = ""
        self._order = TurnOrder()
        self._while_off = SaidWhileOff()
        self._states: dict[str, _TurnState | Turn] = {}  # of one that has ended, the turn itself
        self._marks: list[_Mark] = []
        self._compacted: list[Compacted] = []
        self._allowed: tuple[ForeignSource, ...] = ()

    def take(self, entry: TranscriptEntry) -> None:
        off = self._while_off.take(entry)
        match entry:
            case Header():
                self._id = self._id or entry.conversation
                self._updated = self._updated or entry.at
            case MemorySet():
                self._switch(entry)
            case TitleSet():
                self._title = entry.title
            case ModelSet():
                self._model = entry.choice
            case OpenerAsked():
                self._opening, self._about = entry.text, entry.about
            case UserMessage():
                if entry.turn not in self._states:
                    self._updated = entry.at
                    self._states[entry.turn] = _TurnState(entry)
                    self._order.add(entry.turn, entry.supersedes)
            case ContextCleared():
                self._mark(entry.at, "earlier_dropped")
            case ContextFound():
                if (state := self._changed(entry.turn)) is not None:
                    state.context += entry.context
                    state.used += entry.used
                    state.foreign += entry.foreign
                    state.recall_way = entry.way
            case Compacted():
                self._compacted.append(entry)
            case ForeignAllowed():
                self._allowed += entry.sources
            case TurnsRemovedSet():
                self._order.take_out(entry)
            case VariantSet():
                self._order.choose(entry)
            case ToolCompleted(round=0):
                if (state := self._changed(entry.turn)) is not None:  # also later: the owner may have it remembered
                    state.besides = state.besides or []
                    state.besides.append(entry)
            case ReceiptChanged():
                if (state := self._changed(entry.turn)) is not None:
                    state.changes = state.changes or {}
                    state.changes[entry.done] = entry
            case PartialReply() | RoundCompleted() | ToolCompleted() | TurnFinished():
                open_ = self._states.get(entry.turn)
                if isinstance(open_, _TurnState) and open_.closed is None:
                    self._updated = entry.at
                    _add_entry(open_, entry, off=off)
            case SwitchSet() | Unknown():
                pass

    def _changed(self, turn: str) -> _TurnState | None:
        """Return the turn's state, for a change to it."""
        state = self._states.get(turn)
        if isinstance(state, Turn):
            state = self._states[turn] = _TurnState.of(state)
        return state

    def result(self, running: str | None) -> Conversation:
        order = self._order
        removed = order.removed
        standing = [turn for turn in order.turns if turn not in removed]
        left: dict[str, list[Turn]] = {}
        for turn, replaced_by in order.inactive():
            left.setdefault(replaced_by, []).append(self._turn(turn, running))
        turns = tuple(self._standing_turn(turn, left.get(turn, ()), running) for turn in standing)
        summaries = tuple(self._summaries())
        positions = {turn: place for place, turn in enumerate(order.turns)}
        marks = [
            (self._standing_before(order.position_after(mark.anchor, positions)), mark.at, mark.kind)
            for mark in self._marks
        ]
        marks += [(made.turns, made.at, "compacted") for made in summaries]
        return Conversation(
            id=self._id,
            turns=turns,
            dividers=tuple(
                Divider(after_turn=standing[place - 1] if place else None, at=at, kind=kind)
                for place, at, kind in sorted(marks, key=lambda mark: mark[0])
            ),
            memory=self._memory_mode is MemoryMode.ON,  # a transcript that never says it is OFF
            read_only=self._memory_mode is MemoryMode.READ_ONLY,
            given_title=self._title,
            model=self._model,
            allowed=self._allowed,
            dropped=max((place for place, _, kind in marks if kind == "earlier_dropped"), default=0),
            updated_at=self._updated,
            summaries=summaries,
            opening=self._opening,
            opening_about=self._about,
            removed=tuple(turn for turn in order.turns if turn in removed),
        )

    def _turn(self, id_: str, running: str | None) -> Turn:
        """Return the turn. One that has ended is made once."""
        state = self._states[id_]
        if isinstance(state, Turn):
            return state
        turn = _made(state, running=id_ == running)
        if state.closed is not None:
            self._states[id_] = turn
        return turn

    def _standing_turn(self, id_: str, left: Sequence[Turn], running: str | None) -> Turn:
        turn = self._turn(id_, running)
        variants = self._order.variants(id_)
        if len(variants) == 1 and not left:
            return turn
        offered = [
            each
            for each in variants
            if each == id_ or (each not in self._order.removed and _replied(self._turn(each, None)))
        ]
        written = sorted((each for each in left if _has_receipt(each)), key=lambda each: each.at)
        if len(offered) < 2 and not written:
            return turn
        return replace(turn, variants=tuple(offered) if len(offered) > 1 else (), left=tuple(written))

    def _summaries(self) -> Iterable[Summary]:
        """Yield the summaries that cover exactly the active turns: one that covers a superseded or removed turn would
        leak withdrawn text, and one without a restored turn would lose it.
        """
        for made in self._compacted:
            if made.upto in self._order.turns:
                place = self._order.turns.index(made.upto) + 1
                if all((turn in made.without) == (turn in self._order.removed) for turn in self._order.turns[:place]):
                    turns = self._standing_before(place)
                    yield Summary(turns=turns, memory=made.memory, text=made.text, at=made.at)

    def _standing_before(self, place: int) -> int:
        if not self._order.removed:
            return place
        return sum(turn not in self._order.removed for turn in self._order.turns[:place])

    def _mark(self, at: str, kind: DividerKind) -> None:
        self._marks.append(_Mark(self._order.turns[-1] if self._order.turns else None, at, kind))

    def _switch(self, entry: MemorySet) -> None:
        before, self._memory_mode = self._memory_mode, entry.memory_mode
        if (before is not None or entry.unreadable) and before is not entry.memory_mode:
            self._mark(entry.at, "memory_unreadable" if entry.unreadable else _SWITCHED[entry.memory_mode])


def _add_entry(
    state: _TurnState, entry: PartialReply | RoundCompleted | ToolCompleted | TurnFinished, *, off: bool
) -> None:
    if off:
        state.off |= {entry.round}
    match entry:
        case PartialReply():
            state.partial = state.partial or {}
            state.partial[entry.round] = entry.text
        case RoundCompleted():
            state.rounds[entry.round] = entry
        case ToolCompleted():
            state.results = state.results or {}
            state.results.setdefault(entry.round, []).append(entry)
        case TurnFinished():
            state.closed = entry


def _replied(turn: Turn) -> bool:
    """Whether the turn has a reply or a change: a request that failed at once left nothing to return to."""
    return bool(turn.reply.strip()) or _has_receipt(turn)


def _has_receipt(turn: Turn) -> bool:
    return any(done.receipt is not None for done in turn.tools)


def _made(state: _TurnState, *, running: bool) -> Turn:
    message, closed = state.message, state.closed
    if any(done.read_only for done in state.rounds.values()) and not message.read_only:
        message = replace(message, read_only=True)  # its line lost that
    rounds = closed.rounds if isinstance(closed, Turn) else tuple(_rounds(state))
    besides = tuple(state.besides or ())
    results = (*(done for round_ in rounds for done in round_.results), *besides)
    return Turn(
        message=message,
        context=message.context + state.context,
        foreign=sources_in(message, state.foreign, results, (round_.model for round_ in rounds)),
        used=state.used,
        recall_way=state.recall_way,
        besides=besides,
        changes=tuple((state.changes or {}).values()),
        rounds=rounds,
        end=closed.end if closed else None if running else TurnEnd.CUT,
        error=closed.error if closed else None,
    )


def _rounds(state: _TurnState) -> Iterable[Round]:
    partial, results = dict(state.partial or {}), state.results or {}
    if isinstance(state.closed, TurnFinished) and state.closed.cut_text:
        partial[state.closed.round] = state.closed.cut_text
    for number in sorted(state.rounds.keys() | partial.keys()):
        done, off = state.rounds.get(number), number in state.off
        if done is None:
            text = partial[number]
            yield Round(number=number, parts=(TextPart(text=text),) if text else (), off=off)
        else:
            yield Round(
                number=number,
                parts=done.parts,
                stop=done.stop,
                usage=done.usage,
                model=done.model,
                results=tuple(results.get(number, ())),
                off=off,
            )


def branch_entries(
    entries: Sequence[TranscriptEntry],
    conversation: Conversation,
    upto: str,
    *,
    memory_mode: MemoryMode,
    title: str,
    at: str,
) -> list[TranscriptEntry]:
    """Return the entries of a new conversation with the turns of another up to one of them. ``conversation``:
    ``entries`` folded; ``upto``: one of its turns; the memory switch of the branch is as given.

    Copies the active path only, with every mark that redaction needs (memory on or off, of turns and of single
    rounds). Receipts stay with the conversation that made the change: only one conversation can undo it. Raises
    ValueError if ``upto`` is not an active turn.
    """
    turns = [turn.id for turn in conversation.turns]
    path = turns[: turns.index(upto) + 1]
    copied = list(_of_path(entries, set(path), cleared_before=_turn_at(path, conversation.dropped), at=at))
    if conversation.dropped > 0 and conversation.dropped >= len(path):
        copied.append(ContextCleared(id=new_id(), at=at))
    for made in conversation.summaries:
        if made.turns <= len(path):
            last = path[made.turns - 1]
            copied.append(
                Compacted(id=new_id(), at=made.at, upto=last, memory=made.memory, text=made.text, usage=Usage())
            )
    switches = [entry for entry in copied if isinstance(entry, MemorySet)]
    if not switches or switches[-1].memory_mode is not memory_mode:
        copied.append(MemorySet.of(memory_mode, at))
    if conversation.model is not None:
        copied.append(ModelSet(id=new_id(), at=at, choice=conversation.model))
    copied.append(TitleSet(id=new_id(), at=at, title=title))
    return copied


def _turn_at(path: Sequence[str], place: int) -> str | None:
    return path[place] if 0 < place < len(path) else None


def _of_path(
    entries: Sequence[TranscriptEntry], path: set[str], *, cleared_before: str | None, at: str
) -> Iterator[TranscriptEntry]:
    """Yield the entries of these turns, and the switches up to the end of the last of them."""
    of_turn = UserMessage | PartialReply | RoundCompleted | TurnFinished
    end = max(place for place, entry in enumerate(entries) if isinstance(entry, of_turn) and entry.turn in path)
    for place, entry in enumerate(entries):
        match entry:
            case MemorySet() if place <= end:
                yield entry
            case OpenerAsked():
                yield entry
            case UserMessage() if entry.turn in path:
                if entry.turn == cleared_before:
                    yield ContextCleared(id=new_id(), at=at)
                yield replace(entry, supersedes=None)
            case ToolCompleted() if entry.turn in path:
                yield replace(entry, receipt=None)
            case ContextFound() | PartialReply() | RoundCompleted() | TurnFinished() if entry.turn in path:
                yield entry
            case _:
                pass
