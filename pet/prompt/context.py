"""What changes from message to message and therefore stands beside the message, not in the prompt (PRODUCT §5.6)."""

from __future__ import annotations

from datetime import datetime

from pet.model import ContextPart
from pet.texts import Texts


def time_context(now: datetime, texts: Texts) -> ContextPart:
    """Date, weekday, time and offset of the owner, to the minute. ``now`` is aware."""
    offset = now.strftime("%z")
    text = texts(
        "prompt.context.time",
        date=now.strftime("%Y-%m-%d"),
        weekday=texts(f"prompt.weekday.{now.weekday()}"),
        time=now.strftime("%H:%M"),
        offset=f"{offset[:3]}:{offset[3:5]}",
    )
    return ContextPart(kind="time", text=text, gated=False)
