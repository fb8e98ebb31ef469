"""The bubble's line that a heartbeat says."""

from __future__ import annotations

from pet.extras.heartbeat.settings import HeartbeatSettings
from pet.services.offers.offer import LAST, UNASKED, BubbleLine, Desk, Offer
from pet.services.offers.replies import long_line

HEARTBEAT = Offer(
    kind="heartbeat",
    on=(),
    due=None,
    setting=lambda settings: settings.of(HeartbeatSettings).heartbeat_daily_tokens > 0,
    memory="settled",
    held="dropped",
    chat="shown",
    stays="time",
    rank=LAST,
    seconds=UNASKED,
    questions=0,  # it costs tokens, and waits for the owner after each (``Heartbeat.check``)
    pauses=True,
    voiced=True,
)


def heartbeat_line(desk: Desk, text: str) -> BubbleLine:
    """Return what the heartbeat says; the chat goes on from it."""

    def begin_conversation() -> None:
        desk.proactive.owner_is_there()
        live = desk.conversations.create(memory=desk.settings().default_memory_mode)
        live.record.open_with(shown, "")
        desk.open_chat(live.id)

    line = long_line(desk, HEARTBEAT, text, opens=begin_conversation)
    shown = line.text
    return line
