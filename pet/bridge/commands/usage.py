"""Tokens and cost per day, reply and conversation, and the daily limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.bridge.command import Client, command
from pet.engine.usage import LOCAL, all_tokens, cost, paid, spent_on
from pet.errors import WriteFailed
from pet.model import Usage
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageOfModel:
    """``cost``: by the prices in the settings; None without prices, or for a ``local`` model, which costs nothing."""

    model: str
    usage: Usage
    cost: float | None
    local: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageDay:
    day: str
    tokens: int  # input and output
    cost: float | None
    models: list[UsageOfModel]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageView:
    """Usage of all pets of this home. ``limit`` 0: none. ``allowed``: the owner lifted the limit for today."""

    today: UsageDay
    counted: int  # today's tokens of remote models, which count against the limit
    days: list[UsageDay]  # newest first; with today if anything was used
    limit: int
    reached: bool
    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentView:
    """Usage of a reply or a conversation. ``cost`` None: no prices are set. ``uncounted``: model calls without
    reported usage. ``local``: tokens of local models."""

    usage: Usage
    tokens: int
    local: int
    cost: float | None
    uncounted: int


@dataclass(frozen=True, slots=True)
class UsageCommands:
    app: Pet

    @command(Client.CHAT)
    def get_usage(self) -> UsageView:
        """Return the tokens of each day, and the daily limit."""
        book, settings = self.app.usage, self.app.effective.current()
        days, today = book.days(), book.today
        shown = _day(today, days.get(today, {}), settings)
        counted = all_tokens(paid(days.get(today, {})))
        return UsageView(
            today=shown,
            counted=counted,
            days=[_day(day, models, settings) for day, models in days.items()],
            limit=settings.daily_tokens,
            reached=0 < settings.daily_tokens <= counted,
            allowed=book.allowed_today,
        )

    @command(Client.CHAT)
    def get_spent(self, conversation: str, turn: str | None = None) -> SpentView:
        """Return what a reply or a conversation cost, in tokens and money.

        ``turn`` None: the whole conversation, with replaced replies and summaries.
        """
        spent = spent_on(self.app.conversations.open(conversation).transcript.entries, turn)
        return SpentView(
            usage=spent.usage,
            tokens=all_tokens(spent.usage),
            local=all_tokens(spent.usage) - all_tokens(spent.paid),
            cost=cost(spent.paid, self.app.effective.current()),
            uncounted=spent.uncounted,
        )

    @command(Client.CHAT)
    def allow_today(self) -> UsageView:
        """Lift the daily limit for today. Raises WriteFailed."""
        try:
            self.app.usage.allow_today()
        except OSError as problem:
            raise WriteFailed.from_os_error("usage.json", problem) from problem
        return self.get_usage()


def _day(day: str, models: Mapping[str, Usage], settings: Settings) -> UsageDay:
    """Return the usage of a day, the model with most tokens first."""
    return UsageDay(
        day=day,
        tokens=all_tokens(Usage.total(models.values())),
        cost=cost(paid(models), settings),
        models=[
            UsageOfModel(
                model=model.removeprefix(LOCAL),
                usage=usage,
                cost=None if model.startswith(LOCAL) else cost(usage, settings),
                local=model.startswith(LOCAL),
            )
            for model, usage in sorted(models.items(), key=lambda item: -all_tokens(item[1]))
        ],
    )
