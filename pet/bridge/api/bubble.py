"""The speech bubble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.bridge.api.base import BUBBLE, Command, Nothing
from pet.bridge.api.memory import PromiseView


@dataclass(frozen=True, slots=True, kw_only=True)
class BubblePiece:
    """A part of a reply, without any marks. ``mark`` stands before an item, ``depth`` says how far in it is."""

    kind: Literal["text", "heading", "item", "quote", "code", "row"]
    text: str
    mark: str
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleView:
    """What the speech bubble says, plain. ``number`` counts what was said: the same one is only worded anew.
    ``more``: ``text`` is not all of it, ``pieces`` are; ``ending``: how a reply ends, as it was written, for answers
    to choose from; ``seconds``: how long it stays, 0 until it is answered."""

    number: int
    kind: Literal["none", "reply", "failed", "question", "greeting", "asking", "promises"]
    text: str
    more: bool
    pieces: list[BubblePiece]
    ending: str
    promises: list[PromiseView]
    seconds: float
    language: Literal["zh", "en"]
    theme: Literal["system", "light", "dark"]
    reduced_motion: Literal["system", "on", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BubblePlace:
    """Where the bubble stands, seen from the pet; ``tail``: how far from its left edge the pet's middle is, or from
    its top the pet's face. ``height``: what there was room for."""

    side: Literal["above", "left", "right"]
    tail: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleSizeArgs:
    """What the bubble needs, with the room for its shadow. ``reading``: the owner opened it to read on, and its keys
    are wanted; it may be less high than that."""

    width: int
    height: int
    reading: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleSayArgs:
    """A short answer, chosen in the bubble."""

    text: str


ROWS: tuple[Command, ...] = (
    Command("get_bubble", Nothing, BubbleView, BUBBLE, "What the speech bubble says now."),
    Command("size_bubble", BubbleSizeArgs, BubblePlace, BUBBLE, "It is drawn and needs this room: show it."),
    Command("close_bubble", Nothing, Nothing, BUBBLE, "Read, or closed."),
    Command("open_bubble", Nothing, Nothing, BUBBLE, "Go on in the chat, where it was said."),
    Command("say_in_bubble", BubbleSayArgs, Nothing, BUBBLE, "Answer the reply that it shows, in its conversation."),
    Command("leave_alone", Nothing, Nothing, BUBBLE, "Don't ask about this any more."),
)
