"""Settings under which the pet says nothing that was not asked for."""

from __future__ import annotations


def silent(settings: str) -> str:
    """Lines that switch off what the pet says by itself, but for what ``settings`` names."""
    off = {"reminder_bubbles": "false", "greetings": '"off"', "ask_after": "false"}
    named = {line.partition("=")[0].strip() for line in settings.splitlines()}
    return "".join(f"{name} = {value}\n" for name, value in off.items() if name not in named)
