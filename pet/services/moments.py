"""Asks the model, in idle minutes, at which moments of life notes matter; the answers are kept in the index only.

Sends nothing while a reply runs, while memory is paused, off or read only by default, or beyond a day's tokens. Drops
an answer once memory was switched off meanwhile, and never writes a file of the owner's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from pet.access import ConversationGate, PetGate
from pet.engine.services import EngineServices
from pet.engine.usage import all_tokens
from pet.memory.daily_log import strip_owner
from pet.memory.moments import MOST_PHRASES, parse_moments
from pet.model import Message, SystemBlock, TextPart, Usage
from pet.prompt.budget import estimate_tokens
from pet.prompt.fence import escape
from pet.services.background_request import background_reply
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.text.markup import TALK, wrap

DAILY_TOKENS = 10_000
_NOTES = 20  # in a request
_REPLY_TOKENS = 1_500


class MomentIndex(Protocol):
    def notes_without_moments(self, count: int) -> list[tuple[bytes, str]]: ...

    def store_moments(self, moments: dict[bytes, Sequence[str]]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentWriter:
    """``index``: the pet's, or None while it is not open. ``suits``: whether the model in use can name moments; false
    for small ones and the demo. ``idle``: whether no reply is running."""

    services: EngineServices
    pet_gate: PetGate
    settings: Callable[[], Settings]
    suits: Callable[[], bool]
    idle: Callable[[], bool]
    index: Callable[[], MomentIndex | None]
    state: JsonState
    pet: str

    def check(self) -> None:
        """Send one request for notes that have no moments yet, if it may be sent, and store the answer. Blocks."""
        settings, index = self.settings(), self.index()
        if index is None or not settings.moment_words or not self.suits() or not self.idle():
            return
        gate = ConversationGate(self.pet_gate, memory=settings.default_memory_mode).begin_turn()
        if not gate.access().learns or self._spent() >= DAILY_TOKENS:
            return
        notes = index.notes_without_moments(_NOTES)
        prompt = self._prompt([text for _, text in notes])
        tokens = estimate_tokens("".join(block.text for block in prompt[0])) + _REPLY_TOKENS
        if not notes or self._spent() + tokens > DAILY_TOKENS:
            return

        def spent(usage: Usage) -> None:
            if reported := all_tokens(usage):
                self._spend(reported - tokens)

        reply = background_reply(
            self.services, gate, "moments", prompt, _REPLY_TOKENS, begin=partial(self._spend, tokens), spent=spent
        )
        if reply and gate.access().learns:
            # Notes without an answer get none: a model that can't follow the form would be asked for ever.
            moments = parse_moments(reply, len(notes))
            index.store_moments({notes[at][0]: moments.get(at + 1, ()) for at in range(len(notes))})

    def _prompt(self, notes: Sequence[str]) -> tuple[tuple[SystemBlock, ...], tuple[Message, ...]]:
        texts = self.services.prompting.texts()
        listed = "\n".join(f"{at}: {escape(' '.join(strip_owner(note).split()))}" for at, note in enumerate(notes, 1))
        system = "\n\n".join([texts("moments.rules", count=str(MOST_PHRASES)), wrap(TALK, listed)])
        return (SystemBlock(text=system),), (Message(role="user", parts=(TextPart(text=texts("moments.now")),)),)

    def _spent(self) -> int:
        """Return today's tokens."""
        stored = self.state.read().get(f"moments.{self.pet}")
        day, tokens = stored if isinstance(stored, list) and len(stored) == 2 else ("", 0)
        return tokens if day == self._today() and isinstance(tokens, int) else 0

    def _spend(self, tokens: int) -> bool:
        """Count tokens; return whether they could be counted, as nothing would limit the next request otherwise."""
        try:
            self.state.update({f"moments.{self.pet}": [self._today(), max(0, self._spent() + tokens)]})
        except OSError:
            return False
        return True

    def _today(self) -> str:
        return self.services.clock.now().date().isoformat()
