"""Record of heartbeats in the state: days, counts and hashes of what was said, never text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from pet.clock import Clock
from pet.extras.heartbeat.settings import HeartbeatSettings
from pet.services.proactive_limits import ProactiveLog, hash_of

_EVERY = timedelta(hours=1)
_MAX_MESSAGES = 3


@dataclass(slots=True, kw_only=True)
class HeartbeatRecord:
    """``forgotten``: whether the owner had a text forgotten."""

    proactive: ProactiveLog
    settings: Callable[[], HeartbeatSettings]
    forgotten: Callable[[str], bool]
    clock: Clock
    _messages: list[tuple[date, str]] = field(init=False, default_factory=list)  # of this run

    def is_due(self) -> bool:
        """Return whether the interval has passed, and the owner was present since the last message."""
        now, last = self.clock.now(), _moment_of(self.proactive.kept("heartbeat"))
        if last is not None and timedelta() <= now - last < _EVERY:
            return False
        waits = self.proactive.waits_for_owner or self.proactive.is_too_soon(now)
        return self.settings().heartbeat_daily_tokens > 0 and not waits

    def tokens_left(self) -> int:
        spent = self.proactive.of_today("heartbeat_tokens")[1:]
        return self.settings().heartbeat_daily_tokens - sum(int(each) for each in spent)

    def request(self, tokens: int) -> bool:
        """Record a request with its maximum tokens. False: it could not be recorded and must not be sent, since
        nothing would limit the next ones.
        """
        return self.proactive.add_today("heartbeat_tokens", [str(tokens)]) and self.proactive.keep(
            "heartbeat", [self.clock.now().isoformat()]
        )

    def spent(self, tokens: int) -> None:
        """Replace the estimate of the last request by the reported tokens; 0: none were reported."""
        spent = self.proactive.of_today("heartbeat_tokens")
        if tokens and spent[1:]:
            self.proactive.keep("heartbeat_tokens", [*spent[:-1], str(tokens)])

    def message(self, text: str) -> None:
        """Record what is said."""
        self._messages = [*self._messages, (self.clock.now().date(), text)][-_MAX_MESSAGES:]
        self.proactive.add_today("heartbeat_said", [hash_of(text)])
        self.proactive.wait_for_owner()

    def was_shown_today(self, text: str) -> bool:
        """Return whether the same text was shown today."""
        return hash_of(text) in self.proactive.of_today("heartbeat_said")[1:]

    def messages(self) -> list[str]:
        """Return what was said today, without forgotten texts."""
        today = self.clock.now().date()
        return [text for day, text in self._messages if day == today and not self.forgotten(text)]


def _moment_of(kept: list[str]) -> datetime | None:
    try:
        at = datetime.fromisoformat(kept[0]) if kept else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None
