"""What all areas of the command table are made of: who may ask, a row, and the shapes that several of them share."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Client(StrEnum):
    """Who is asking. The transport knows it; the caller never says it."""

    CHAT = "chat"  # the chat window: chat, history, settings
    PET = "pet"  # the pet window: can read no file
    BUBBLE = "bubble"  # the speech bubble: what it says now, and nothing else
    SOCKET = "socket"  # a second start, the command line


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No arguments, or nothing to say in reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFile:
    """Where something was put that the owner asked for."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallArgs:
    """A call of a tool, by the turn it was made in."""

    conversation: str
    turn: str
    call: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationArgs:
    conversation: str


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    args: type
    reply: type
    clients: frozenset[Client]
    summary: str = field(default="")


CHAT = frozenset({Client.CHAT})
WINDOWS = frozenset({Client.CHAT, Client.PET})
PET = frozenset({Client.PET})
SOCKET = frozenset({Client.SOCKET})
BUBBLE = frozenset({Client.BUBBLE})
