"""What the windows and the tray are called: after the pet, since there may be several. Pure."""

from __future__ import annotations

from pet.texts import Texts

_TRAY = 63  # of Windows' characters, of which an emoji is two: more of them it refuses


def chat_title(name: str, texts: Texts) -> str:
    return texts("shell.title_chat_of", name=name) if name else texts("shell.title_chat")


def tray_tooltip(name: str, texts: Texts) -> str:
    text = texts("shell.tray_tooltip_of", name=name) if name else texts("shell.tray_tooltip")
    while len(text.encode("utf-16-le")) > 2 * _TRAY:
        text = text[:-1]
    return text
