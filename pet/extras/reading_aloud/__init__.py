"""Replies read aloud, sentence by sentence, with the system's voice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts
from pet.extras.reading_aloud.settings import ReadingSettings

if TYPE_CHECKING:
    from pet.app.pet import Pet


def _make(app: Pet) -> ExtraParts:
    from pet.extras.reading_aloud.commands import AloudCommands
    from pet.extras.reading_aloud.reader import ReadAloud
    from pet.extras.reading_aloud.speech import system_speaker

    def reply(conversation: str, turn: str) -> str:
        turns = app.conversations.open(conversation).folded().turns
        return next((each.reply for each in turns if each.id == turn), "")

    windows = app.windows
    speaker = system_speaker() if windows.backend != "none" else None
    aloud = ReadAloud(
        speaker=speaker,
        reply=reply,
        settings=app.effective.current,
        texts=app.texts,
        clock=app.clock,
        emit=app.emitter.emit,
        mouth=app.moods.sound,
        away=lambda: windows.aside,
    )

    def start() -> None:
        app.emitter.subscribe(aloud.on_event, *ReadAloud.EVENTS, name="aloud", text=lambda: aloud.on)
        app.closing.callback(aloud.close)

    abilities = ("speech",) if speaker is not None else ()
    return ExtraParts(commands=(AloudCommands(aloud),), start=start, abilities=abilities)


EXTRA = Extra(make=_make, settings=ReadingSettings, child="pet.extras.reading_aloud.speech_child.main")
