"""Handlers for tokens and cost per day, reply and conversation, and for lifting the daily limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pet.bridge.api import Nothing, SpentArgs, SpentView, UsageDay, UsageOfModel, UsageView
from pet.engine.usage import Limits, UsageLedger, all_tokens, cost, spent_on
from pet.errors import WriteFailed
from pet.model import Usage
from pet.transcripts.entries import Entry


class UsageCommands:
    """Every public method is the handler of the row of its name."""

    def __init__(
        self, book: UsageLedger, limits: Callable[[], Limits], told: Callable[[str], Sequence[Entry]] = lambda _id: ()
    ) -> None:
        """``told``: the entries of a conversation; raises UnknownConversation."""
        self._book = book
        self._limits = limits
        self._told = told

    def get_usage(self, _args: Nothing) -> UsageView:
        limits, days, today = self._limits(), self._book.days(), self._book.today
        shown = _day(today, days.get(today, {}), limits)
        return UsageView(
            today=shown,
            days=[_day(day, models, limits) for day, models in days.items()],
            limit=limits.daily_tokens,
            reached=0 < limits.daily_tokens <= shown.tokens,
            allowed=self._book.allowed_today,
        )

    def get_spent(self, args: SpentArgs) -> SpentView:
        spent = spent_on(self._told(args.conversation), args.turn)
        return SpentView(
            usage=spent.usage,
            tokens=all_tokens(spent.usage),
            cost=cost(spent.usage, self._limits()),
            uncounted=spent.uncounted,
        )

    def allow_today(self, args: Nothing) -> UsageView:
        try:
            self._book.allow_today()
        except OSError as problem:
            raise WriteFailed(file="usage.json", reason=problem.strerror or "") from problem
        return self.get_usage(args)


def _day(day: str, models: Mapping[str, Usage], limits: Limits) -> UsageDay:
    """The model that took the most comes first."""
    total = Usage()
    for usage in models.values():
        total = total.plus(usage)
    return UsageDay(
        day=day,
        tokens=all_tokens(total),
        cost=cost(total, limits),
        models=[
            UsageOfModel(model=model, usage=usage, cost=cost(usage, limits))
            for model, usage in sorted(models.items(), key=lambda item: -all_tokens(item[1]))
        ],
    )
