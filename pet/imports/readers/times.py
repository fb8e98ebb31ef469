"""Times as other programs write them, as ISO 8601 with zone; "" for what can't be read. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_FIRST, _LAST = 0.0, 4102444800.0  # 1970 to 2100
_PACKED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})\s?@(\d{1,2})h\s?(\d{1,2})m(?:\s?(\d{1,2})s)?.*")
_SPOKEN = ("%B %d, %Y %I:%M%p", "%B %d, %Y %I:%M %p")


def from_seconds(value: object) -> str:
    """Seconds since 1970, or milliseconds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    seconds = value / 1000 if value > _LAST else value
    return datetime.fromtimestamp(seconds, UTC).isoformat() if _FIRST < seconds < _LAST else ""


def from_text(value: object) -> str:
    """ISO 8601, or one of the forms that SillyTavern has had; without a zone it is this computer's."""
    if not isinstance(value, str):
        return from_seconds(value)
    if value.isdecimal() and len(value) < 16:
        return from_seconds(int(value))
    moment = _parsed(value.strip()[:64])
    try:
        return "" if moment is None else from_seconds(moment.timestamp())
    except (OverflowError, OSError, ValueError):
        return ""


def _parsed(text: str) -> datetime | None:
    packed = _PACKED.fullmatch(text)
    try:
        if packed:
            year, month, day, hour, minute, second = (int(part or 0) for part in packed.groups())
            return datetime(year, month, day, hour, minute, second).astimezone()
        return datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        pass
    for form in _SPOKEN:
        try:
            return datetime.strptime(text, form).astimezone()
        except ValueError:
            continue
    return None
