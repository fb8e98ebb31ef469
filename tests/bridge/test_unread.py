"""What nobody has seen is marked until it is, also over a restart, and the pet's face shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pet.bridge.chat_state import Unread
from pet.engine.mood import MoodTracker
from pet.events import (
    ChatShown,
    ConversationDeleted,
    Event,
    Mood,
    MoodChanged,
    ProposalAsked,
    TextDelta,
    TurnEnded,
    TurnStarted,
    UnreadChanged,
)
from pet.model import MISSING, CoreFile, Proposal, TurnEnd, Usage
from pet.settings.program_state import JsonState


@dataclass
class Room:
    """A chat window that is shown or not, and what was told."""

    folder: Path
    shown: bool = False
    gone: set[str] = field(default_factory=set)
    told: list[Event] = field(default_factory=list)

    def open(self) -> tuple[Unread, MoodTracker]:
        def emit(event: Event) -> None:
            self.told.append(event)
            unread.on_event(event)
            moods.on_event(event)

        unread = Unread(
            JsonState(self.folder / "state.json"),
            "bun",
            emit,
            chat_shown=lambda: self.shown,
            stays=lambda each: each not in self.gone,
        )
        moods = MoodTracker(emit, unread=lambda: bool(unread.conversations))
        self.emit: Callable[[Event], None] = emit
        return unread, moods

    @property
    def marked(self) -> list[list[str]]:
        return [event.conversations for event in self.told if isinstance(event, UnreadChanged)]

    @property
    def faces(self) -> list[Mood]:
        return [event.mood for event in self.told if isinstance(event, MoodChanged)]


def ended(conversation: str, end: TurnEnd = TurnEnd.DONE) -> TurnEnded:
    return TurnEnded(conversation=conversation, turn="t", end=end, error=None, usage=Usage())


def asked(conversation: str) -> ProposalAsked:
    proposal = Proposal(id="p", file=CoreFile.SOUL, reason="soul", before="", after="x", base=MISSING)
    return ProposalAsked(conversation=conversation, turn="t", proposal=proposal)


def started(conversation: str) -> TurnStarted:
    return TurnStarted(
        conversation=conversation, turn="t", at="", text="hi", memory=True, supersedes=None, kind="message"
    )


def face(moods: MoodTracker) -> Mood:
    """Asked anew each time; of the property itself the type checker takes the first answer for all."""
    return moods.mood


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


@pytest.mark.parametrize(
    "event", [ended("a"), ended("a", TurnEnd.FAILED), ended("a", TurnEnd.CUT), asked("a")], ids=lambda each: each
)
@pytest.mark.parametrize(("shown", "in_front"), [(False, "a"), (True, "b"), (True, None)])
def test_turn_ending_in_background_is_unread(room: Room, event: Event, shown: bool, in_front: str | None) -> None:
    room.shown = shown
    unread, moods = room.open()
    unread.set_in_front(in_front)
    room.emit(event)
    room.emit(event)
    assert room.marked == [["a"]]
    moods.close()


def test_what_is_seen_or_was_stopped_by_the_owner_is_not(room: Room) -> None:
    room.shown = True
    unread, moods = room.open()
    unread.set_in_front("a")
    room.emit(ended("a"))
    room.emit(ended("b", TurnEnd.STOPPED))
    assert unread.conversations == []
    assert room.marked == []
    moods.close()


def test_it_is_seen_when_the_chat_comes_with_it_in_front_or_its_tab_does(room: Room) -> None:
    unread, moods = room.open()
    unread.set_in_front("a")
    for each in "abcd":
        room.emit(ended(each))
    assert unread.conversations == ["a", "b", "c", "d"]
    room.shown = True
    room.emit(ChatShown(shown=True))
    assert unread.conversations == ["b", "c", "d"]
    unread.set_in_front("b")
    assert unread.conversations == ["c", "d"]
    room.emit(started("c"))  # answered elsewhere, in the bubble say
    room.emit(ConversationDeleted(conversation="d"))
    assert unread.conversations == []
    assert room.marked[-1] == []
    moods.close()


def test_a_hidden_chat_sees_nothing_whatever_tab_its_page_shows(room: Room) -> None:
    unread, moods = room.open()
    room.emit(ended("a"))
    unread.set_in_front("a")
    assert unread.conversations == ["a"]
    unread.mark_seen("a")
    assert unread.conversations == []
    moods.close()


def test_it_comes_back_after_a_restart_but_for_what_is_gone(room: Room) -> None:
    _, moods = room.open()
    for each in "abc":
        room.emit(ended(each))
    moods.close()
    room.gone = {"b"}
    again, moods = room.open()
    assert again.conversations == ["a", "c"]
    assert face(moods) is Mood.READY
    moods.close()


def test_a_temporary_conversation_is_marked_and_leaves_nothing_on_disk(room: Room) -> None:
    room.gone = {"t"}
    unread, moods = room.open()
    room.emit(ended("t"))
    assert unread.conversations == ["t"]
    assert not (room.folder / "state.json").exists()
    room.emit(ended("a"))
    assert JsonState(room.folder / "state.json").read() == {"unread.bun": ["a"]}
    moods.close()


def test_the_mail_stays_on_the_face_until_it_is_seen(room: Room) -> None:
    room.shown = True
    unread, moods = room.open()
    unread.set_in_front("b")
    room.emit(ended("a"))
    assert face(moods) is Mood.READY
    for event in (started("b"), TextDelta(conversation="b", turn="t", round=1, text="x"), ended("b")):
        room.emit(event)
    assert face(moods) is Mood.READY  # another reply was seen: this one was not
    room.emit(started("b"))
    room.emit(ended("b", TurnEnd.STOPPED))
    assert face(moods) is Mood.READY
    unread.set_in_front("a")
    assert face(moods) is Mood.NEUTRAL
    assert room.faces[-2:] == [Mood.READY, Mood.NEUTRAL]
    moods.close()


def test_after_a_failure_the_mail_comes_back(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    class Fires:
        """A timer that is over when the test says so."""

        last: Fires

        def __init__(self, seconds: float, action: Callable[[], None]) -> None:
            self.seconds, self.action, self.daemon = seconds, action, False
            Fires.last = self

        def start(self) -> None:
            return

        def cancel(self) -> None:
            self.action = lambda: None

    monkeypatch.setattr("pet.engine.mood.Timer", Fires)
    _, moods = room.open()
    room.emit(ended("a"))
    room.emit(started("b"))
    room.emit(ended("b", TurnEnd.FAILED))
    assert face(moods) is Mood.ERROR
    Fires.last.action()
    assert face(moods) is Mood.READY
