"""Events about other agents."""

from __future__ import annotations

from pet.events import Event


class AgentsChanged(Event):
    """Another agent's position, reads or proposals changed: read them again."""


class AgentAsked(Event):
    """Another agent wants to read memory: ask the owner in the open chat. ``number``: of the question; ``title``: its
    name in the owner's words; ``known``: of a program that the pet knows."""

    number: int
    name: str
    folder: str
    title: str
    known: bool
