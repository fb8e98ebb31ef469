"""Decide whether and when a failed call is retried automatically. Pure.

Other faults may be retried by the owner (``ProviderFault.retryable``).
"""

from __future__ import annotations

from dataclasses import dataclass

from pet.errors import ProviderFault

# Reported at once: a refused connection (the server isn't running) and a timeout (90 seconds are lost already).
BY_ITSELF = frozenset({"rate_limit", "overloaded", "server", "no_network", "dns", "dropped", "cut"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """For calls that yielded no text yet."""

    attempts: int = 4  # calls in total
    longest_wait: float = 60.0  # seconds; a server may request hours
    waits: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)

    def next_wait(self, fault: ProviderFault, attempt: int) -> float | None:
        """Return seconds to wait after call number ``attempt`` (1-based) failed; None to give up."""
        if fault.kind not in BY_ITSELF or attempt >= self.attempts:
            return None
        if fault.kind == "dropped" and attempt == 1:
            return 0.0  # a kept-alive connection had gone stale
        if fault.retry_after is not None:
            return min(fault.retry_after, self.longest_wait)
        return self.waits[min(attempt, len(self.waits)) - 1]
