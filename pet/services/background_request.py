"""A small background request without tools: it is counted, limited, and cancelled once memory is switched off or
paused."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from pet.access import TurnGate
from pet.engine.cancellation import CancelScope, TurnAborted, sending
from pet.engine.mood import strip_mood_tags
from pet.engine.services import EngineServices
from pet.errors import PetError
from pet.ids import new_id
from pet.model import Message, Request, StopReason, SystemBlock, TextPart, Usage
from pet.providers.base import RoundDone

_SECONDS = 60.0  # maximum for a request
_log = logging.getLogger(__name__)


def background_reply(
    services: EngineServices,
    gate: TurnGate,
    name: str,
    prompt: tuple[tuple[SystemBlock, ...], tuple[Message, ...]],
    max_tokens: int,
    *,
    begin: Callable[[], bool],
    spent: Callable[[Usage], None],
) -> str:
    """Return the model's whole reply; "" for a failure, a cut reply, or if the gate lost its access meanwhile.

    ``prompt``: system blocks and messages. ``begin``: called before the request leaves, which it does not if that
    returns False; ``spent``: called with the reported usage. Blocks; not for the engine's thread.
    """
    scope = CancelScope(gate)

    async def stream() -> str:
        used = services.models.in_use(None)
        if used.problem is not None:
            raise used.problem
        request = Request(
            model=services.models.limits(used).settings.model,
            max_tokens=max_tokens,
            system=prompt[0],
            tools=(),
            messages=prompt[1],
            thinking="off",
        )
        if not begin():
            return ""
        provider = await services.provider(used, services.sizes.of(request.model), keep=True)
        # Marked as in flight, so that a pause cancels it.
        async with sending(scope, lambda: services.in_flight.marked(f"{name}-{new_id()}")):
            async for event in strip_mood_tags(provider.stream(request), lambda _mood: None):
                scope.raise_if_cancelled()
                if isinstance(event, RoundDone):
                    spent(event.usage)
                    whole = event.stop is StopReason.END_TURN
                    return "".join(each.text for each in event.parts if isinstance(each, TextPart)) if whole else ""
        return ""

    async def reply() -> str:
        try:
            return await asyncio.wait_for(scope.run(stream()), _SECONDS)
        except (PetError, TimeoutError) as failure:
            _log.info("no %s: %s", name, failure.error_code if isinstance(failure, PetError) else "timeout")
            return ""

    with suppress(TurnAborted):
        text = services.loop.submit(reply()).result(_SECONDS + 10)
        return text if scope.reason() is None else ""
    return ""
