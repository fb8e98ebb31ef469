"""The system's voice, in a child process that starts with the first sentence and ends some seconds after the last.

``speech_child`` says why. A child that does not answer in time, or ends, is replaced with the next sentence.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Literal

from pet.extra import child_command
from pet.i18n import Language
from pet.paths import environment_of_children
from pet.untrusted.parsers import read_json

STARTS_WITHIN = 40.0
"""Seconds; speech-dispatcher with espeak took nine on a busy machine."""
_IDLE = 20.0
_LEAST = 15.0
_A_CHARACTER = 0.5  # seconds at most, at usual speed; a Chinese one takes a quarter
_LANGUAGES: tuple[Language, ...] = ("en", "zh", "es")

SpeechEnd = Literal["done", "stopped", "no_engine", "no_voice", "failed"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    language: Language
    name: str


def system_speaker() -> ChildSpeaker | None:
    """Return the system's voice, or None if it has no voice."""
    there = sys.platform.startswith("linux") and find_spec("PySide6.QtTextToSpeech") is not None
    return ChildSpeaker() if there else None


@dataclass(slots=True)
class _Sentence:
    order: dict[str, object]
    language: Language
    voice: str
    ended: Callable[[SpeechEnd], None]
    seconds: float
    sent: bool = False


@dataclass(slots=True, eq=False)
class _Child:
    process: subprocess.Popen[bytes]
    ready: threading.Event = field(default_factory=threading.Event)
    voices: tuple[Voice, ...] = ()
    failed: bool = False


class ChildSpeaker:
    """The system's voice; thread-safe. ``timer``: makes a one-shot timer, for tests."""

    def __init__(
        self,
        command: Callable[[], list[str]] = lambda: child_command("reading_aloud"),
        environ: Mapping[str, str] = os.environ,
        timer: Callable[[float, Callable[[], None]], Any] = threading.Timer,
    ) -> None:
        self._command = command
        self._environ = environ
        self._make_timer = timer
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._current: _Sentence | None = None
        self._count = 0
        self._timer: Any = None  # ends the child: it is idle, or late

    def prepare(self) -> None:
        """Make ready to speak soon, in the background."""
        threading.Thread(target=self._prepare, name="speech-start", daemon=True).start()

    def _prepare(self) -> None:
        with self._lock:
            if self._current is None and self._start() is not None:
                self._end_child_after(STARTS_WITHIN + _IDLE)

    def say(
        self, text: str, language: Language, *, voice: str, speed: int, ended: Callable[[SpeechEnd], None]
    ) -> None:
        """Say one sentence and return at once; ``ended`` is called once, on another thread or this one.

        ``voice``: by its name, "" or one that is gone for the first of the language; ``speed``: in per cent.
        """
        with self._lock:
            self._count += 1
            rate = (speed - 100) / 100 if speed <= 100 else (speed - 100) / 200  # Qt's: -1 to 1
            order: dict[str, object] = {"say": text, "number": self._count, "rate": rate}
            seconds = _LEAST + len(text) * _A_CHARACTER * 100 / speed
            before, self._current = self._current, _Sentence(order, language, voice, ended, seconds)
            child = self._start()
            if child is None:
                end: SpeechEnd | None = "no_engine"
            elif child.ready.is_set():
                end = self._send(child)
            else:
                end = None
                self._end_child_after(STARTS_WITHIN)
            if end is not None:
                self._current = None
        if before is not None:
            before.ended("stopped")
        if end is not None:
            ended(end)

    def stop(self) -> None:
        """End the sentence that is being said, at once."""
        with self._lock:
            current, self._current = self._current, None
            if current is None:
                return
            if self._child is not None and current.sent:
                self._write(self._child, {"stop": True})
            self._end_child_after(_IDLE)
        current.ended("stopped")

    def voices(self) -> tuple[Voice, ...] | None:
        """Return the voices of our languages; None without an engine. Blocks for seconds."""
        with self._lock:
            child = self._start()
            if child is not None and self._current is None:
                self._end_child_after(STARTS_WITHIN)
        if child is None or not child.ready.wait(STARTS_WITHIN) or child.failed:
            return None
        return child.voices

    def close(self) -> None:
        with self._lock:
            current, self._current = self._current, None
            self._drop_child()
        if current is not None:
            current.ended("stopped")

    # --- under the lock ---------------------------------------------------------------------------

    def _start(self) -> _Child | None:
        """Return the running child; None if it can't be started."""
        if self._child is not None:
            return self._child
        try:
            process = subprocess.Popen(  # noqa: S603  our own program
                self._command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment_of_children(self._environ),
            )
        except OSError as problem:
            _log.warning("no speech: %s", type(problem).__name__)
            return None
        self._child = child = _Child(process)
        threading.Thread(target=self._listen, args=(child,), name="speech", daemon=True).start()
        return child

    def _send(self, child: _Child) -> SpeechEnd | None:
        """Send the current sentence to a child that is ready. Return why it can't be said."""
        current = self._current
        if current is None:
            return None
        if child.failed:
            self._drop_child()
            return "no_engine"
        names = [each.name for each in child.voices if each.language == current.language]
        if not names:
            self._end_child_after(_IDLE)
            return "no_voice" if child.voices else "no_engine"
        voice = current.voice if current.voice in names else names[0]
        current.sent = True
        self._write(child, {**current.order, "language": current.language, "voice": voice})
        self._end_child_after(current.seconds)
        return None

    def _write(self, child: _Child, order: Mapping[str, object]) -> None:
        pipe = child.process.stdin
        with suppress(OSError, ValueError):  # it has ended: its listener reports that
            if pipe is not None:
                pipe.write((json.dumps(order) + "\n").encode())
                pipe.flush()

    def _end_child_after(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        timer = self._timer = self._make_timer(seconds, lambda: self._late(timer))
        timer.daemon = True
        timer.start()

    def _drop_child(self) -> None:
        child, self._child = self._child, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if child is not None:
            child.failed = True
            child.ready.set()
            child.process.kill()

    # --- on other threads -------------------------------------------------------------------------

    def _late(self, timer: object) -> None:
        with self._lock:
            if timer is not self._timer:
                return
            current, self._current = self._current, None
            self._drop_child()
        if current is not None:
            _log.warning("speech: no answer in time")
            current.ended("failed")

    def _listen(self, child: _Child) -> None:
        output, orders = child.process.stdout, child.process.stdin
        assert output is not None
        assert orders is not None
        with output:
            for line in output:
                try:
                    row: dict[str, Any] = read_json(line.decode("utf-8", "replace"))
                except ValueError:
                    break
                self._on_row(child, row)
        child.process.kill()
        child.process.wait()
        with suppress(OSError):
            orders.close()
        with self._lock:
            current: _Sentence | None = None
            end: SpeechEnd = "failed" if child.ready.is_set() else "no_engine"
            if self._child is child:
                current, self._current = self._current, None
                self._drop_child()
        child.failed = True
        child.ready.set()
        if current is not None:
            current.ended(end)

    def _on_row(self, child: _Child, row: Mapping[str, Any]) -> None:
        with self._lock:
            if self._child is not child:
                return
            current, end = self._current, None
            if "voices" in row:
                child.failed = row.get("failed") is True
                child.voices = tuple(
                    Voice(language=language, name=str(name))
                    for language in _LANGUAGES
                    for of, name in row["voices"]
                    if of == language
                )
                child.ready.set()
                if current is None:
                    self._end_child_after(_IDLE)
                else:
                    end = self._send(child)
            elif current is not None and row.get("number") == current.order["number"]:
                end = "done" if row.get("end") == "done" else "failed"
                self._end_child_after(_IDLE)
            if end is not None:
                self._current = None
        if current is not None and end is not None:
            current.ended(end)
