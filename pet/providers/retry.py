"""When a failed call is tried again by itself, and after how long. Pure: the engine waits, shows it, and can be
stopped meanwhile. What is not tried again here the owner may still retry (``ProviderFault.retryable``)."""

from __future__ import annotations

from dataclasses import dataclass

from pet.errors import ProviderFault

# A refused connection is a server that is not running, and a timeout has cost its minute and a half already:
# both are told at once.
BY_ITSELF = frozenset({"rate_limit", "overloaded", "server", "no_network", "dns", "dropped", "cut"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Only for calls that showed no text yet: said words are never said twice. The engine knows that."""

    attempts: int = 4  # calls in all
    longest_wait: float = 60.0  # seconds; a server may ask for hours
    waits: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)

    def next_wait(self, fault: ProviderFault, attempt: int) -> float | None:
        """Seconds before the next call, after the call number ``attempt`` (from 1) failed; None: give up."""
        if fault.kind not in BY_ITSELF or attempt >= self.attempts:
            return None
        if fault.kind == "dropped" and attempt == 1:
            return 0.0  # a kept-alive connection had gone stale before the first byte: a fresh one will do
        if fault.retry_after is not None:
            return min(fault.retry_after, self.longest_wait)
        return self.waits[min(attempt, len(self.waits)) - 1]
