"""What the models took, in tokens and money, and the daily limit."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.api.base import CHAT, Command, Nothing
from pet.model import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageOfModel:
    """``cost`` by the prices in the settings; None: they are not set."""

    model: str
    usage: Usage
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageDay:
    day: str
    tokens: int  # all that was read and written
    cost: float | None
    models: list[UsageOfModel]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageView:
    """All pets of this home. ``limit`` 0: none. ``allowed``: the owner said to go on today all the same."""

    today: UsageDay
    days: list[UsageDay]  # newest first, today's included where there is something
    limit: int
    reached: bool
    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentView:
    """What a reply or a whole conversation took. ``cost`` None: the prices are not set. ``uncounted``: model calls
    of which the server did not tell what they took."""

    usage: Usage
    tokens: int
    cost: float | None
    uncounted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentArgs:
    """``turn`` None: the whole conversation, replaced replies and summaries included."""

    conversation: str
    turn: str | None = None


ROWS: tuple[Command, ...] = (
    Command("get_usage", Nothing, UsageView, CHAT, "Tokens of each day, and the daily limit."),
    Command("get_spent", SpentArgs, SpentView, CHAT, "What a reply or a conversation took, in tokens and money."),
    Command("allow_today", Nothing, UsageView, CHAT, "Go on today, whatever the daily limit says."),
)
