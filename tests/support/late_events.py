"""A pytest plugin that delivers every event late: a test that looks for one once, in place of waiting, fails.

On a quiet machine such a test passes nearly always, and on a busy one it falls: ``make late``.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from pet.bridge import emitter

SECONDS = 0.15
_original = emitter._Outbox.__init__


def _late(outbox: emitter._Outbox, name: str, deliver: Callable[[emitter.Delivery], None], **options: object) -> None:
    def deliver_late(delivery: emitter.Delivery) -> None:
        time.sleep(SECONDS)
        deliver(delivery)

    _original(outbox, name, deliver_late, **options)  # type: ignore[arg-type]  # as they were given


emitter._Outbox.__init__ = _late  # type: ignore[method-assign,assignment]
