"""Replies read aloud, sentence by sentence, with the system's voice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pet.extra import Extra, ExtraParts
from pet.i18n import Language
from pet.settings.setting import Number, Shown, Spec, line

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSettings:
    read_aloud: Annotated[bool, Spec("aloud", row=Shown("sound", needs="speech"))] = False  # every reply, as it comes
    # per cent
    reading_speed: Annotated[
        int, Spec("aloud", Number(50, 200), row=Shown("advanced_desktop", 9, percent=True, needs="speech"))
    ] = 100
    reading_voice_en: Annotated[str, Spec("aloud", line)] = ""  # name of a voice of the system; "" for its first
    reading_voice_zh: Annotated[str, Spec("aloud", line)] = ""
    reading_voice_es: Annotated[str, Spec("aloud", line)] = ""

    def voice(self, language: Language) -> str:
        match language:
            case "en":
                return self.reading_voice_en
            case "zh":
                return self.reading_voice_zh
            case "es":
                return self.reading_voice_es


def _make(app: Pet) -> ExtraParts:
    from pet.extras.reading_aloud.commands import AloudCommands
    from pet.extras.reading_aloud.reader import ReadAloud
    from pet.extras.reading_aloud.speech import system_speaker

    def reply(conversation: str, turn: str) -> str:
        turns = app.conversations.open(conversation).folded().turns
        return next((each.reply for each in turns if each.id == turn), "")

    speaker = system_speaker() if app.windows.backend != "none" else None
    aloud = ReadAloud(app=app, speaker=speaker, reply=reply)

    def start() -> None:
        app.emitter.subscribe(aloud.on_event, *ReadAloud.EVENTS, name="aloud", text=lambda: aloud.on)
        app.closing.callback(aloud.close)

    abilities = ("speech",) if speaker is not None else ()
    return ExtraParts(commands=(AloudCommands(aloud),), start=start, abilities=abilities)


EXTRA = Extra(make=_make, settings=ReadingSettings, ports={"child": "pet.extras.reading_aloud.speech_child.main"})
