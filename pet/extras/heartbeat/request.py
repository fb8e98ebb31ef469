"""The request in which the pet decides whether to speak first. Pure.

Each file is cut to a few hundred words and fenced. The reply is a word that means silence, or the pet's message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pet.i18n import Texts
from pet.language.replies import means_silence
from pet.memory.store.digest import RecentDay
from pet.model import HEARTBEAT, CoreFile, Message, SystemBlock, TextPart
from pet.prompt.budget import truncate
from pet.prompt.context import recent_days_context, time_context
from pet.prompt.fence import escape, one_line
from pet.text.markup import TALK, fenced, wrap
from pet.text.token_estimate import estimate_tokens

_ROOM: Mapping[str, int] = {
    CoreFile.SOUL.value: 2_000,
    HEARTBEAT: 2_000,
    CoreFile.USER.value: 1_500,
    CoreFile.MEMORY.value: 1_500,
}
"""Characters of each file, in the order of the prompt."""
DAYS, DAY_CHARACTERS = 2, 400
_MAX_SENT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatInputs:
    """Inputs that the access policy allows. ``due``: reminders in words; ``sent``: the pet's last unprompted
    messages.
    """

    files: Mapping[str, str]
    days: Sequence[RecentDay]
    due: Sequence[str]
    sent: Sequence[str]
    pet_name: str
    now: datetime


def heartbeat_request(inputs: HeartbeatInputs, texts: Texts) -> tuple[tuple[SystemBlock, ...], tuple[Message, ...]]:
    """Return the system prompt and the one message."""
    sections = [_section(name, inputs.files[name], room) for name, room in _ROOM.items() if inputs.files.get(name)]
    system = "\n\n".join([texts("heartbeat.rules", name=one_line(inputs.pet_name, 100)), *sections])
    pieces = [time_context(inputs.now, texts).text]
    if inputs.days:
        pieces.append(recent_days_context(inputs.days, texts).text)
    for key, lines in (("heartbeat.due", inputs.due), ("heartbeat.said", inputs.sent[-_MAX_SENT:])):
        if lines:
            pieces += [texts(key), wrap(TALK, "\n".join(f"- {escape(line)}" for line in lines))]
    pieces.append(texts("heartbeat.now"))
    return (SystemBlock(text=system),), (Message(role="user", parts=(TextPart(text="\n\n".join(pieces)),)),)


def heartbeat_tokens(system: Sequence[SystemBlock], messages: Sequence[Message]) -> int:
    """Return the estimated tokens of the request."""
    parts = [part.text for message in messages for part in message.parts if isinstance(part, TextPart)]
    return estimate_tokens("".join([*(block.text for block in system), *parts]))


def spoken(reply: str) -> str:
    """Return the pet's message; "" for silence."""
    text = reply.strip()
    return "" if means_silence(text) else text


def _section(name: str, text: str, room: int) -> str:
    return fenced(name, truncate(text.strip(), room, lambda _gap: "\n…\n", escape).text)
