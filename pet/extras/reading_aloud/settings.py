"""The settings of reading aloud."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pet.i18n import Language
from pet.settings.setting import Number, Spec, line


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSettings:
    read_aloud: Annotated[bool, Spec("aloud")] = False  # every reply, as it comes
    reading_speed: Annotated[int, Spec("aloud", Number(50, 200))] = 100  # per cent
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
