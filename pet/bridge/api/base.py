"""What all areas of the command table are made of: who may ask, a row, and the shapes that several of them share."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.command import Client as Client
from pet.bridge.command import Command as Command
from pet.bridge.command import Nothing as Nothing


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


CHAT = frozenset({Client.CHAT})
WINDOWS = frozenset({Client.CHAT, Client.PET})
PET = frozenset({Client.PET})
SOCKET = frozenset({Client.SOCKET})
BUBBLE = frozenset({Client.BUBBLE})
