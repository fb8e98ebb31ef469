"""Token usage and cost per day and model, and the optional daily limit.

Counts tokens, computes the cost if prices are set, and refuses requests beyond the daily limit. Where a server began
to reply and reported nothing, as with a reply that is stopped, the request counts as estimated; without a price there
is no cost. Usage of a temporary conversation counts until the program ends and is not stored.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import TYPE_CHECKING

from pet.clock import Clock
from pet.engine.token_budget import TokenEstimator
from pet.errors import FileBroken, ProviderFault
from pet.model import Request, Usage
from pet.providers.base import Provider, RoundDone, Streamed
from pet.serde import BadValue, Reader, read_int
from pet.settings.schema import Settings
from pet.transcripts.entries import Compacted, PartialReply, RoundCompleted, TranscriptEntry, TurnFinished

if TYPE_CHECKING:
    from pet.settings.program_state import JsonState

_log = logging.getLogger(__name__)

_DAYS = 62  # days kept
_MILLION = 1_000_000
_CACHE_READ, _CACHE_WRITE = 0.1, 1.25  # relative to the input price
_FIELDS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")

LOCAL = "computer/"
"""Prefix of the name of a model on this computer, whose tokens are free and unlimited."""

Days = dict[str, dict[str, Usage]]
"""Usage by day (YYYY-MM-DD) and model."""


def all_tokens(usage: Usage) -> int:
    """Return all tokens read and written, cached or not."""
    return sum(getattr(usage, name) or 0 for name in _FIELDS)


def cost(usage: Usage, settings: Settings) -> float | None:
    """Return the cost by the owner's prices per million tokens, cached input at the usual share; None if not set."""
    if not (settings.price_input or settings.price_output):
        return None
    read = (usage.cache_read_tokens or 0) * _CACHE_READ + (usage.cache_write_tokens or 0) * _CACHE_WRITE
    tokens_in, tokens_out = (usage.input_tokens or 0) + read, usage.output_tokens or 0
    return (tokens_in * settings.price_input + tokens_out * settings.price_output) / _MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """``uncounted``: model calls without reported usage."""

    usage: Usage
    uncounted: int
    paid: Usage = field(default_factory=Usage)  # of ``usage``, that of models elsewhere


def spent_on(entries: Iterable[TranscriptEntry], turn: str | None = None) -> Spent:
    """Return the usage of one turn, or of the whole conversation, including superseded and removed replies, summaries
    and flushes.
    """
    rounds: dict[tuple[str, int], tuple[Usage, bool]] = {}
    summaries: list[tuple[Usage, bool]] = []
    for entry in entries:
        match entry:
            case Compacted() if turn is None:
                summaries.append((entry.usage, entry.local))
            case RoundCompleted() if turn in (None, entry.turn):
                rounds[entry.turn, entry.round] = entry.usage, entry.local
            case PartialReply() | TurnFinished() if turn in (None, entry.turn) and _began(entry):
                rounds.setdefault((entry.turn, entry.round), (Usage(), False))
            case _:
                pass
    calls = [*rounds.values(), *summaries]
    return Spent(
        usage=Usage.total(usage for usage, _ in calls),
        uncounted=sum(not all_tokens(usage) for usage, _ in calls),
        paid=Usage.total(usage for usage, local in calls if not local),
    )


def paid(models: Mapping[str, Usage]) -> Usage:
    """Return the usage of models elsewhere than on this computer."""
    return Usage.total(usage for model, usage in models.items() if not model.startswith(LOCAL))


def _began(entry: PartialReply | TurnFinished) -> bool:
    """Whether a reply had started in this round and may have been cut."""
    return isinstance(entry, PartialReply) or bool(entry.cut_text)


class UsageLedger:
    """Usage totals of this home, all pets together. Thread-safe."""

    def __init__(self, record: JsonState, clock: Clock, settings: Callable[[], Settings]) -> None:
        self._record = record
        self._clock = clock
        self._settings = settings
        self._lock = RLock()
        self._unkept: Days = {}

    @property
    def today(self) -> str:
        return self._clock.now().date().isoformat()

    def spent(self, model: str, usage: Usage, *, keep: bool, local: bool = False) -> None:
        """Record a model call. ``keep`` False: from a temporary conversation, not stored."""
        if not all_tokens(usage):
            return
        if local:
            model = LOCAL + model
        with self._lock:
            self._unkept = {self.today: self._unkept.get(self.today, {})}
            if not keep:
                _add(self._unkept, self.today, model, usage)
                return
            try:
                self._keep(model, usage)
            except OSError as problem:  # a full disk must not affect the reply
                _log.warning("the day's tokens were not written down: %s", problem)
                _add(self._unkept, self.today, model, usage)

    def _keep(self, model: str, usage: Usage) -> None:
        with self._record.held():
            state = self._record.read_known()
            days = _days(state.get("days"))
            _add(days, self.today, model, usage)
            # Today stays, also if it comes before the others since the clock was set back: the limit counts it.
            kept = sorted(days, key=lambda day: (day == self.today, day))[-_DAYS:]
            state["days"] = _data({day: days[day] for day in sorted(kept)})
            self._record.write(state)

    def days(self) -> Days:
        """Return the totals per day, newest first."""
        with self._lock:
            days = _days(self._record.read().get("days"))
            for model, usage in self._unkept.get(self.today, {}).items():
                _add(days, self.today, model, usage)
            return dict(sorted(days.items(), reverse=True))

    def tokens_today(self) -> int:
        """Return the tokens that count against the limit."""
        return all_tokens(paid(self.days().get(self.today, {})))

    @property
    def allowed_today(self) -> bool:
        """Whether the owner lifted the limit for today."""
        return self._record.read().get("allowed") == self.today

    def allow_today(self) -> None:
        """Lift the limit for today. Raises NewerFormat, OSError."""
        self._record.require_known_format()
        with self._lock, self._record.held():
            self._record.write({**self._record.read_known(), "allowed": self.today})

    def check(self) -> None:
        """Raises ProviderFault once the day's limit is reached. If there is a limit: NewerFormat if a newer program
        wrote the totals, FileBroken while they can't be read. Call before each request.
        """
        limit = self._settings().daily_tokens
        if not limit:
            return
        try:
            self._record.require_known_format()
        except OSError as problem:
            raise FileBroken(file="usage.json", problem="unreadable") from problem
        if not self.allowed_today and (used := self.tokens_today()) >= limit:
            raise ProviderFault("daily_limit", used=used, limit=limit)


class MeteredProvider:
    """A provider whose calls are fitted to the model, counted and limited. ``keep`` False: a temporary conversation;
    ``local``: runs on this computer, free and unlimited."""

    def __init__(
        self, inner: Provider, book: UsageLedger, sizes: TokenEstimator, *, keep: bool, local: bool = False
    ) -> None:
        self._inner = inner
        self._book = book
        self._sizes = sizes
        self._keep = keep
        self._local = local

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        """Call the model as ``Provider.stream`` does. Raises ProviderFault."""
        if not self._local:
            self._book.check()
        ended = True
        try:
            async for event in self._fitted(request):
                ended = isinstance(event, RoundDone)
                if isinstance(event, RoundDone):
                    self._count(request, event.usage, event.model)
                    yield replace(event, local=self._local)
                else:
                    yield event
        finally:
            if not ended:  # stopped or broken off in the middle
                self._count(request, Usage(), "")

    async def _fitted(self, request: Request) -> AsyncIterator[Streamed]:
        """Ask for a reply that fits, and once more for one that the refusal allows."""
        fitted, answered = self._sizes.fitted(request), False
        try:
            async for event in self._inner.stream(fitted):
                answered = True
                yield event
        except ProviderFault as fault:
            shorter = None if answered else self._sizes.refitted(fitted, fault)
            if shorter is None:
                raise
        else:
            return
        async for event in self._inner.stream(shorter):
            yield event

    def _count(self, request: Request, usage: Usage, model: str) -> None:
        if not self._local and not all_tokens(usage):
            usage = Usage(input_tokens=self._sizes.tokens(request))
        self._book.spent(model if self._local else request.model, usage, keep=self._keep, local=self._local)


def _add(days: Days, day: str, model: str, usage: Usage) -> None:
    models = days.setdefault(day, {})
    models[model] = models.get(model, Usage()).plus(usage)


def _days(data: object) -> Days:
    """Parse leniently: an invalid total counts as zero."""
    days: Days = {}
    for day, models in data.items() if isinstance(data, dict) else ():
        for model, counts in models.items() if isinstance(models, dict) else ():
            with suppress(BadValue):
                days.setdefault(str(day), {})[str(model)] = _READ_USAGE(counts)
    return days


def _tokens(value: object) -> int:
    if (number := read_int(value)) < 0:
        raise BadValue("integer")
    return number


_READ_USAGE = Reader(scalars={int: _tokens}, lenient=True).decoder(Usage)


def _data(days: Days) -> dict[str, object]:
    return {
        day: {
            model: {name: value for name in _FIELDS if (value := getattr(usage, name)) is not None}
            for model, usage in models.items()
        }
        for day, models in days.items()
    }
