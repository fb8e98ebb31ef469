"""Settings with which the pet neither speaks nor moves unprompted."""

from __future__ import annotations


def silent(settings: str) -> str:
    """Return lines that switch off unprompted messages and moves, except what ``settings`` names."""
    off = {"reminder_bubbles": "false", "greetings": '"off"', "ask_after": "false", "pet_life": '"still"'}
    named = {line.partition("=")[0].strip() for line in settings.splitlines()}
    return "".join(f"{name} = {value}\n" for name, value in off.items() if name not in named)
