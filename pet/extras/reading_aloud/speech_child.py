"""The child process that speaks with Qt's TextToSpeech: orders on standard input, what happens on standard output.

Making speech-dispatcher's engine takes seconds, in which it holds Python's lock, and a service that hangs never
returns; nothing of that may happen in the program itself. One JSON object a line. Ends with its input.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale, QObject, Qt, Signal
from PySide6.QtTextToSpeech import QTextToSpeech, QVoice

from pet.untrusted.parsers import read_json

ENGINE = "PET_SPEECH_ENGINE"
"""Environment variable: another of Qt's engines, such as ``mock``."""
_LANGUAGES = {QLocale.Language.Chinese: "zh", QLocale.Language.English: "en", QLocale.Language.Spanish: "es"}
_MOST_VOICES = 60  # of a language
_MANDARIN = "mandarin"  # Qt has no locale for espeak's code of it


class SpeechEngine(QObject):
    """The engine. ``ordered``: what the parent wrote, None at its end; emitted by the reading thread."""

    ordered = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._engine = QTextToSpeech(name)
        self._number = 0
        self._begun = False
        self._voices = {(language, voice.name()): voice for language, voice in _voices(self._engine)}
        self._engine.stateChanged.connect(self._on_state)
        self.ordered.connect(self._on_order, Qt.ConnectionType.QueuedConnection)
        failed = self._engine.state() == QTextToSpeech.State.Error
        print_row(voices=[] if failed else [*self._voices], failed=failed)

    def _on_order(self, order: Any) -> None:
        if order is None:
            self._engine.stop()
            QCoreApplication.quit()
        elif "say" in order:
            self._number, self._begun = int(order["number"]), False
            voice = self._voices.get((order["language"], order["voice"]))
            if voice is not None:
                self._engine.setVoice(voice)
            self._engine.setRate(float(order["rate"]))
            self._engine.say(str(order["say"]))
        else:
            self._number = 0
            self._engine.stop()

    def _on_state(self, state: QTextToSpeech.State) -> None:
        if state == QTextToSpeech.State.Speaking:
            self._begun = True
        elif state == QTextToSpeech.State.Error:
            print_row(number=self._number, end="failed")
        elif state == QTextToSpeech.State.Ready and self._begun:
            print_row(number=self._number, end="done")


def _voices(engine: QTextToSpeech) -> Iterator[tuple[str, QVoice]]:
    """Yield the voices of our languages without espeak's variants (name and "+"), those of the owner's country first,
    since the engine lists them in any order.
    """
    here = QLocale.system().territory()
    for locale in sorted(engine.availableLocales(), key=lambda each: (each.territory() != here, each.name())):
        known = _LANGUAGES.get(locale.language())
        if known is None and locale != QLocale.c():
            continue
        engine.setLocale(locale)
        count = 0
        for voice in engine.availableVoices():
            language = known or ("zh" if _MANDARIN in voice.name().lower() else None)
            if language is not None and "+" not in voice.name() and count < _MOST_VOICES:
                count += 1
                yield language, voice


def print_row(**row: object) -> None:
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


def _read(speech: SpeechEngine) -> None:
    for line in sys.stdin:
        speech.ordered.emit(read_json(line))
    speech.ordered.emit(None)


def main() -> None:
    program = QCoreApplication(["soulpet"])
    name = os.environ.get(ENGINE) or next((each for each in QTextToSpeech.availableEngines() if each != "mock"), "")
    if not name:
        print_row(voices=[], failed=True)
        return
    speech = SpeechEngine(name)
    threading.Thread(target=_read, args=(speech,), daemon=True).start()
    program.exec()
    os._exit(0)  # an engine that hangs would keep the process


if __name__ == "__main__":
    main()
