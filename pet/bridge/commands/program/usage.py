"""Tokens and cost per day, reply and conversation, and the daily limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.engine.usage import LOCAL, Limits, UsageLedger, all_tokens, cost, paid, spent_on
from pet.errors import WriteFailed
from pet.model import Usage
from pet.transcripts.records.entries import TranscriptEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageOfModel:
    """``cost`` by the prices in the settings; None: they are not set, or nothing was paid. ``local``: the model is on
    this computer, which costs nothing."""

    model: str
    usage: Usage
    cost: float | None
    local: bool = False


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
    counted: int  # today's tokens that count against the limit: those of models elsewhere
    days: list[UsageDay]  # newest first, today's included where there is something
    limit: int
    reached: bool
    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentView:
    """What a reply or a whole conversation took. ``cost`` None: the prices are not set. ``uncounted``: model calls
    of which the server did not tell what they took. ``local``: tokens on this computer, for nothing."""

    usage: Usage
    tokens: int
    local: int
    cost: float | None
    uncounted: int


@dataclass(frozen=True, slots=True)
class UsageCommands:
    """``told``: the entries of a conversation; raises UnknownConversation."""

    book: UsageLedger
    limits: Callable[[], Limits]
    told: Callable[[str], Sequence[TranscriptEntry]] = lambda _id: ()

    @command(Client.CHAT)
    def get_usage(self) -> UsageView:
        """Tokens of each day, and the daily limit."""
        limits, days, today = self.limits(), self.book.days(), self.book.today
        shown = _day(today, days.get(today, {}), limits)
        counted = all_tokens(paid(days.get(today, {})))
        return UsageView(
            today=shown,
            counted=counted,
            days=[_day(day, models, limits) for day, models in days.items()],
            limit=limits.daily_tokens,
            reached=0 < limits.daily_tokens <= counted,
            allowed=self.book.allowed_today,
        )

    @command(Client.CHAT)
    def get_spent(self, conversation: str, turn: str | None = None) -> SpentView:
        """What a reply or a conversation took, in tokens and money.

        ``turn`` None: the whole conversation, replaced replies and summaries included.
        """
        spent = spent_on(self.told(conversation), turn)
        return SpentView(
            usage=spent.usage,
            tokens=all_tokens(spent.usage),
            local=all_tokens(spent.usage) - all_tokens(spent.paid),
            cost=cost(spent.paid, self.limits()),
            uncounted=spent.uncounted,
        )

    @command(Client.CHAT)
    def allow_today(self) -> UsageView:
        """Go on today, whatever the daily limit says."""
        try:
            self.book.allow_today()
        except OSError as problem:
            raise WriteFailed.from_os_error("usage.json", problem) from problem
        return self.get_usage()


def _day(day: str, models: Mapping[str, Usage], limits: Limits) -> UsageDay:
    """The model that took the most comes first."""
    return UsageDay(
        day=day,
        tokens=all_tokens(Usage.total(models.values())),
        cost=cost(paid(models), limits),
        models=[
            UsageOfModel(
                model=model.removeprefix(LOCAL),
                usage=usage,
                cost=None if model.startswith(LOCAL) else cost(usage, limits),
                local=model.startswith(LOCAL),
            )
            for model, usage in sorted(models.items(), key=lambda item: -all_tokens(item[1]))
        ],
    )
