"""Reading replies aloud: which sentences, when, and when it stops. The voice is the system's.

One reply at a time, sentence by sentence, while it streams. Sentences are kept in memory until they are read or the
reading stops; none is logged or stored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import RLock, Timer
from typing import TYPE_CHECKING, ClassVar

from pet.errors import ProblemError
from pet.events import (
    ChatShown,
    ConversationClosed,
    ConversationDeleted,
    ErrorInfo,
    Event,
    Forgotten,
    RoundStarted,
    SettingsChanged,
    SilenceAsked,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from pet.extras.reading_aloud import ReadingSettings
from pet.extras.reading_aloud.events import AloudChanged
from pet.extras.reading_aloud.speech import ChildSpeaker, SpeechEnd
from pet.extras.reading_aloud.spoken_text import SentenceStream, Spoken, sentence_language
from pet.i18n import Language, Texts
from pet.model import TurnEnd
from pet.services.proactive_limits import seconds_until, wants_quiet

if TYPE_CHECKING:
    from pet.app.pet import Pet

_GOES_ON = (TurnEnd.DONE, TurnEnd.MAX_TOKENS, TurnEnd.MAX_ROUNDS)


class SpeechFailed(ProblemError):
    """A reply that is not read aloud. ``problem``: no_engine, no_voice for the ``language``, or failed: the engine
    ended, or a sentence took far too long.
    """

    family = "speech"


@dataclass(slots=True)
class _Reading:
    conversation: str
    turn: str
    asked: bool  # by the owner, for this reply
    language: Language
    stream: SentenceStream | None  # while the reply comes
    round: int = 0
    left: deque[Spoken] = field(default_factory=deque)
    speaks: bool = False


@dataclass(slots=True, kw_only=True)
class ReadAloud:
    """Thread-safe. ``speaker``: None where this desktop has none. ``reply``: the text of a turn's reply."""

    app: Pet
    speaker: ChildSpeaker | None
    reply: Callable[[str, str], str]
    _lock: RLock = field(init=False, default_factory=RLock)
    _now: _Reading | None = field(init=False, default=None)
    _failed: str = field(init=False, default="")  # problem that was announced; no reply is read unasked meanwhile
    _quiet: Timer | None = field(init=False, default=None)  # while it reads: quiet hours begin
    on: bool = field(init=False, default=False)  # by the settings: text deltas are wanted
    EVENTS: ClassVar[tuple[type[Event], ...]] = (
        TurnStarted,
        RoundStarted,
        TextDelta,
        TurnEnded,
        ChatShown,
        ConversationClosed,
        ConversationDeleted,
        Forgotten,
        SettingsChanged,
        SilenceAsked,
    )

    def __post_init__(self) -> None:
        self.on = self._wanted()

    def read(self, conversation: str, turn: str) -> None:
        """Read a reply, as the owner asked, also in quiet hours. Raises SpeechFailed without a speaker."""
        text = self.reply(conversation, turn)
        with self._lock:
            self.stop()
            if self.speaker is None:
                raise SpeechFailed("no_engine")
            self._failed = ""
            stream = SentenceStream()
            self._begin(_Reading(conversation, turn, True, self.app.texts().language, None))
            self._queue((*stream.feed(text), *stream.end()))

    def close(self) -> None:
        """Stop, and let go of the voice."""
        self.stop()
        speaker = self.speaker
        if speaker is not None:
            speaker.close()

    def stop(self) -> None:
        """Be silent at once, and drop what was left."""
        with self._lock:
            reading, self._now = self._now, None
            if self._quiet is not None:
                self._quiet.cancel()
                self._quiet = None
            if reading is None:
                return
            reading.left.clear()
            speaker = self.speaker
            if speaker is not None:
                speaker.stop()
            self.app.moods.sound(False)
            self.app.emit(AloudChanged(conversation="", turn=""))

    def on_event(self, event: Event) -> None:
        with self._lock:
            match event:
                case TurnStarted(conversation=conversation, turn=turn):
                    if self._now is None or self._now.turn != turn:  # else it is late: the owner asked meanwhile
                        self.stop()
                        self._follow(conversation, turn)
                case ConversationClosed(conversation=conversation) | ConversationDeleted(conversation=conversation):
                    if self._now is not None and self._now.conversation == conversation:
                        self.stop()
                case ChatShown(shown=False) | Forgotten() | SilenceAsked():
                    self.stop()
                case SettingsChanged():
                    self.on = self._wanted()
                    self._failed = ""
                    if self._now is not None and (self._is_quiet() or not (self._now.asked or self._wanted())):
                        self.stop()
                case TextDelta() | RoundStarted() | TurnEnded():
                    reading = self._now
                    if reading is not None and reading.stream is not None and event.turn == reading.turn:
                        self._go_on(event, reading, reading.stream)
                case _:
                    pass

    # --- inside: under the lock -------------------------------------------------------------------

    def _wanted(self) -> bool:
        """Whether every reply is to be read."""
        return self.app.effective.current().of(ReadingSettings).read_aloud

    def _is_quiet(self) -> bool:
        return wants_quiet(self.app.effective.current(), self.app.clock.now())

    def _follow(self, conversation: str, turn: str) -> None:
        """Begin to read a reply that is about to come, if the owner wants all of them read."""
        if not self._wanted() or self._failed or self._is_quiet() or self.app.windows.aside:
            return
        speaker = self.speaker
        if speaker is None:
            return
        self._begin(_Reading(conversation, turn, False, self.app.texts().language, SentenceStream()))
        speaker.prepare()

    def _begin(self, reading: _Reading) -> None:
        self._now = reading
        settings, now = self.app.effective.current(), self.app.clock.now()
        if settings.quiet_from and settings.quiet_until and not wants_quiet(settings, now):
            self._quiet = Timer(seconds_until(now, settings.quiet_from), self.stop)
            self._quiet.daemon = True
            self._quiet.start()
        if reading.asked:
            self._announce(reading)

    def _announce(self, reading: _Reading) -> None:
        self.app.emit(AloudChanged(conversation=reading.conversation, turn=reading.turn))

    def _go_on(self, event: TextDelta | RoundStarted | TurnEnded, reading: _Reading, stream: SentenceStream) -> None:
        match event:
            case TextDelta(round=number, text=text):
                if number != reading.round and reading.round:
                    self._queue(stream.feed("\n\n"))
                reading.round = number
                self._queue(stream.feed(text))
            case RoundStarted(round=number):
                if number == reading.round:  # what came so far was thinking
                    self.stop()
                    self._follow(reading.conversation, reading.turn)
            case TurnEnded(end=end) if end in _GOES_ON:
                reading.stream = None
                self._queue(stream.end())
            case _:
                self.stop()

    def _queue(self, sentences: Iterable[Spoken]) -> None:
        reading = self._now
        if reading is None:
            return
        waiting = not reading.left and not reading.speaks
        reading.left.extend(sentences)
        if waiting and reading.left and not reading.asked:
            self._announce(reading)
        if not reading.speaks:
            self._next(reading)

    def _next(self, reading: _Reading) -> None:
        """Say the next sentence; wait for it, or end with the reply."""
        speaker = self.speaker
        if not reading.left or speaker is None:
            self.app.moods.sound(False)
            if reading.stream is None or speaker is None:
                self.stop()
            return
        if not reading.asked and self._is_quiet():
            self.stop()
            return
        sentence = reading.left.popleft()
        reading.language = sentence_language(sentence.text, reading.language)
        text = Texts(reading.language)(f"aloud.{sentence.skipped}") if sentence.skipped else sentence.text
        settings = self.app.effective.current().of(ReadingSettings)
        reading.speaks = True
        self.app.moods.sound(True)
        speaker.say(
            text,
            reading.language,
            voice=settings.voice(reading.language),
            speed=settings.reading_speed,
            ended=lambda end: self._ended(reading, end),
        )

    def _ended(self, reading: _Reading, end: SpeechEnd) -> None:
        with self._lock:
            if self._now is not reading:
                return
            reading.speaks = False
            if end == "done":
                self._failed = ""
                self._next(reading)
                return
            self.stop()
            if end != "stopped" and self._failed != end:
                self._failed = end
                language = Texts(self.app.texts().language)(f"aloud.language_{reading.language}")
                error = SpeechFailed(end, language=language)
                self.app.emit(AloudChanged(conversation="", turn="", error=ErrorInfo.of(error)))
