"""One message as a careful and as a careless hand types it, so that no fit learns capitals and full stops."""

from __future__ import annotations

import re

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_ENDED = re.compile(r"[.?!。？！…]$")
_ASKS = re.compile(
    r"^(who|what|when|where|why|how|which|whose|is|are|was|were|do|does|did|can|could|would|will|should|have|has|any)\b",
    re.IGNORECASE,
)
_ASKS_IN_CHINESE = re.compile(r"吗|呢|什么|怎么|哪|谁|几|多少|多久|多大|啥|是不是|会不会|能不能|有没有|区别")


def carefully(message: str) -> str:
    """With a capital at its beginning and a mark at its end."""
    message = message.strip()
    if _CHINESE.search(message):
        return message if _ENDED.search(message) else message + ("？" if _ASKS_IN_CHINESE.search(message) else "。")
    message = re.sub(r"\bi\b", "I", message)
    message = message[:1].upper() + message[1:]
    return message if _ENDED.search(message) else message + ("?" if _ASKS.search(message) else ".")


def carelessly(message: str) -> str:
    """In small letters, without a mark at its end."""
    return re.sub(r"[.?!。？！…]+$", "", message.strip()).lower()
