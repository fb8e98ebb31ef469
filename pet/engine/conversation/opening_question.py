"""The pet's opening question above the first message, based on a note in its memory.

Holds the question and its note until the transcript has both. Neither is shown or sent once one of them is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable

from pet.access.policy import TurnGate
from pet.engine.services import EngineServices
from pet.ids import new_id
from pet.model import ContextPart
from pet.prompt.context import asked_context
from pet.transcripts.conversation.model import Conversation
from pet.transcripts.records import entries
from pet.transcripts.store import Transcript


class OpeningQuestion:
    """Accessed under the conversation's lock."""

    def __init__(self, transcript: Transcript, around: EngineServices, folded: Callable[[], Conversation]) -> None:
        self._transcript = transcript
        self._around = around
        self._folded = folded
        self._text = self._about = ""

    def ask(self, text: str, about: str) -> None:
        """``about``: the whole note the question refers to."""
        self._text, self._about = text, about

    def asked(self) -> tuple[str, str]:
        """Return the question with its note; empty if one of them is forgotten."""
        text, about = self._text, self._about
        if not text:
            folded = self._folded()
            text, about = folded.opening, folded.opening_about
        gone = text and (self._around.memory.is_forgotten(text) or self._around.memory.is_forgotten(about))
        return ("", "") if gone else (text, about)

    def context(self, supersedes: str | None, gate: TurnGate) -> tuple[ContextPart, ...]:
        """Return the question as context for the first message."""
        turns = self._folded().turns
        is_first = not turns or turns[0].id == supersedes
        text, about = self.asked() if is_first and gate.started.recalls else ("", "")
        return (asked_context(text, about, self._around.prompting.texts()),) if text else ()

    def keep(self) -> None:
        """Write it to the transcript, once there is one."""
        text, about = self.asked() if self._text else ("", "")
        self._text = self._about = ""
        if text:
            at = self._around.clock.now().isoformat()
            self._transcript.append(entries.OpenerAsked(id=new_id(), at=at, text=text, about=about), durable=False)
