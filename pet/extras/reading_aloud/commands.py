"""Reading replies aloud with the system's voice."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.extras.reading_aloud.reader import ReadAloud
from pet.extras.reading_aloud.speech import Voice


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceList:
    """Empty: this system has nothing that speaks."""

    voices: list[Voice]


@dataclass(frozen=True, slots=True)
class AloudCommands:
    aloud: ReadAloud

    @command(Client.CHAT)
    def read_aloud(self, conversation: str, turn: str) -> None:
        """Read a reply aloud, and end the reading of another. Raises SpeechFailed, UnknownConversation."""
        self.aloud.read(conversation, turn)

    @command(Client.CHAT)
    def list_voices(self) -> VoiceList:
        """Return the system's voices in our languages. Takes seconds where the engine has to start."""
        speaker = self.aloud.speaker
        return VoiceList(voices=list((speaker.voices() if speaker is not None else None) or ()))
