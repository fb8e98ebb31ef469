"""The entry of a kind of line, and one line of it.

>>> SNACK = Offer(
...     kind="snack",
...     on=(OwnerCame,),
...     due=lambda _bubble, _cue: BubbleLine(offer=SNACK, words=lambda texts: texts("bubble.snack")),
...     setting=lambda settings: settings.greetings != "off",
...     memory="any",
...     held="dropped",
...     chat="shown",
...     stays="time",
...     rank=LAST,
...     seconds=0.0,
...     questions=0,
...     pauses=True,
...     voiced=True,
... )
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pet.errors import BadArguments
from pet.events import Event
from pet.i18n import Texts
from pet.services.offers.bubble_content import BubbleContent, Choice, Style
from pet.services.offers.wording import reading_seconds
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.services.offers.bubble import SpeechBubble

LAST = 9
"""The rank of lines that give way to any other."""
UNASKED = 20.0
"""Seconds that an unsolicited line is shown at least."""


class OwnerCame:
    """The owner is there: the program started, the pet was touched, the chat was hidden."""


Cue = Event | OwnerCame


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """All that is decided about one kind of line; no field has a default.

    ``kind``: its name. ``on``: what may make it due; ``due``: returns the line that is due then, without recording
    anything; None: lines of this kind are handed in.
    ``setting``: whether the owner's settings allow it at all. ``memory``: the state of memory that it needs: "any",
    "running" (not paused), "on" (nor off by default), "settled" (nor within the first start). What is missing while
    it is shown closes it, and makes its answers do nothing.
    ``held``: what becomes of it with "do not disturb", in quiet hours, behind a full screen and the chat: "never"
    held, "dropped", or "kept" until later. ``chat``: whether any chat holds it, or one that has the focus.
    ``stays``: for a "time" by its length and ``seconds`` at least, until it is "answered", or "queued" after other
    questions until then. ``rank``: the lowest is shown first, and replaces those above.
    ``questions``: how many of the day's questions it costs; ``pauses``: whether the next question waits a while.
    ``voiced``: whether it has words of the pet, which a picture of it may show.
    """

    kind: str
    on: tuple[type[Cue], ...]
    due: Callable[[SpeechBubble, Cue], BubbleLine | None] | None
    setting: Callable[[Settings], bool]
    memory: Literal["any", "running", "on", "settled"]
    held: Literal["never", "dropped", "kept"]
    chat: Literal["shown", "in_front"]
    stays: Literal["time", "answered", "queued"]
    rank: int
    seconds: float
    questions: int
    pauses: bool
    voiced: bool


def always(_settings: Settings) -> bool:
    """The setting of lines that need none."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A button. ``text``: key of the catalogue; ``act``: what it does. ``keeps``: the line stays until that."""

    id: str
    text: str
    act: Callable[[], object]
    style: Style = "plain"
    keeps: bool = False

    def choice(self, texts: Texts) -> Choice:
        return Choice(id=self.id, text=texts(self.text), style=self.style)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Drawing of a line."""

    settings: Settings
    texts: Texts
    now: datetime
    captures: bool  # whether the desktop has screenshots


def _nothing() -> None:
    """An action without effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleLine:
    """One line, independent of the language, which may change while it is shown.

    ``begin``: records that it is shown; False: it can't, and must not be. ``closed``: the owner closed it;
    ``replaced``: something else took its place; ``ended``: a question is over without an answer. ``renewed``: the
    line as it is after an event, None if it is over. ``ask_in_chat``: an open chat asks the question of this number
    itself. ``expires``: seconds, 0 for never.
    """

    offer: Offer
    words: Callable[[Texts], str]
    number: int = 0
    answers: tuple[Answer, ...] = ()
    conversation: str | None = None
    session: str = ""  # of another program
    command: str = ""  # whole, below the words
    tap: str = ""
    rests: bool = False
    begin: Callable[[], bool] = lambda: True
    closed: Callable[[], object] = _nothing
    replaced: Callable[[], object] = _nothing
    ended: Callable[[], object] = _nothing
    renewed: Callable[[BubbleLine, Event], BubbleLine | None] = lambda line, _event: line
    ask_in_chat: Callable[[int], object] | None = None
    expires: float = 0.0

    def content(self, shape: Shape) -> BubbleContent:
        """Return what the bubble draws."""
        text = self.words(shape.texts)
        return replace(
            frame(shape),
            number=self.number,
            kind=self.offer.kind,
            text=text,
            command=self.command,
            choices=tuple(each.choice(shape.texts) for each in self.answers),
            tap=self.tap,
            rests=self.rests,
            voiced=self.offer.voiced,
            wide=bool(self.command),
            seconds=self.seconds(text, shape.settings),
        )

    def seconds(self, text: str, settings: Settings) -> float:
        """Return the display time by the length of the text; 0 until it is answered."""
        if self.offer.stays != "time":
            return 0.0
        needed = reading_seconds(text, settings.bubble_seconds)
        return needed if settings.bubble_seconds else max(needed, self.offer.seconds)

    def find_answer(self, choice: str, _key: str) -> Answer:
        """Return what a choice does. Raises BadArguments for one that the line doesn't have."""
        for each in self.answers:
            if each.id == choice:
                return each
        raise BadArguments(where="choice", why="value")


def frame(shape: Shape) -> BubbleContent:
    """Return a bubble that shows nothing, in the owner's language and theme."""
    texts = shape.texts
    return BubbleContent(
        number=0,
        kind="none",
        language=texts.language,
        theme=shape.settings.theme,
        reduced_motion=shape.settings.reduced_motion,
        close=texts("bubble.close"),
        rest_name=texts("bubble.rest"),
        command_name=texts("bubble.command"),
    )
