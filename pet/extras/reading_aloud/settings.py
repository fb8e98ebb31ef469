"""The settings of reading aloud."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pet.i18n import Language
from pet.settings.setting import Number, Shown, Spec, line


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
