"""A provider that plays a script: the test double for everything above the providers.

Streams its script, records every request, and can be held between two pieces, so that a test acts in the middle of a
reply without waiting for time. An empty script is a fault.

    hold = Hold()
    provider = ScriptedProvider(say("Hel", hold, "lo"), call("read", {"path": "SOUL.md"}), say("done"))
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field

from pet.errors import ProviderFault
from pet.model import OpaquePart, ReplyPart, Request, StopReason, TextPart, ToolCallPart, Usage
from pet.providers.base import RoundDone, Streamed, TextChunk, ThinkingChunk


class Hold:
    """A place in a script where the stream waits until ``release()``; both ends may be on any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reached = threading.Event()
        self._released = False
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []

    def release(self) -> None:
        with self._lock:
            self._released = True
            waiting, self._waiting = self._waiting, []
        for loop, future in waiting:
            loop.call_soon_threadsafe(_finish, future)

    def wait_reached(self, timeout: float = 30) -> None:
        """Block the calling thread (a test's) until the stream waits here."""
        if not self._reached.wait(timeout):
            raise TimeoutError("the script never came to this hold")

    async def reached(self) -> None:
        """Wait until the stream waits here, for a test on the event loop."""
        await asyncio.to_thread(self.wait_reached)

    async def passed(self) -> None:
        """Wait for the release; called by the provider."""
        with self._lock:
            if self._released:
                self._reached.set()
                return
            loop = asyncio.get_running_loop()
            future: asyncio.Future[None] = loop.create_future()
            self._waiting.append((loop, future))
            self._reached.set()
        await future


SERVER = "api.anthropic.com"
THINKER = {"PET_MODEL": "thinker"}
"""Environment of a program whose scripted model gets its thinking of earlier turns back, as Claude does not."""


def _finish(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


@dataclass(frozen=True, slots=True)
class Think:
    """A thinking block; becomes an opaque part with a signature."""

    text: str


Step = str | Think | ToolCallPart | Hold | ProviderFault


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedRound:
    """One reply: pieces of text (adjacent ones are one part), thinking, calls, holds, or a fault that ends it."""

    steps: tuple[Step, ...]
    stop: StopReason = StopReason.END_TURN
    usage: Usage = field(default_factory=lambda: Usage(input_tokens=10, output_tokens=5))
    model: str = "scripted"


Scripted = ScriptedRound | Callable[[Request], ScriptedRound]


def say(*steps: Step, stop: StopReason = StopReason.END_TURN) -> ScriptedRound:
    return ScriptedRound(steps=steps, stop=stop)


def call(tool: str, arguments: Mapping[str, object] | str, *before: Step, call_id: str = "call_1") -> ScriptedRound:
    """Return a round with the text ``before`` and one tool call; arguments as data, or as raw (also broken) JSON."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return calls(*before, ToolCallPart(id=call_id, name=tool, arguments=raw))


def calls(*steps: Step) -> ScriptedRound:
    """Return a round that stops for its tool calls."""
    return ScriptedRound(steps=steps, stop=StopReason.TOOL_USE)


def fail(kind: str, *before: Step, retryable: bool = False, retry_after: float | None = None) -> ScriptedRound:
    """Return a round with the text ``before`` that then fails."""
    fault = ProviderFault(kind, retryable=retryable, retry_after=retry_after)
    return ScriptedRound(steps=(*before, fault))


class ScriptedProvider:
    """Implements ``Provider``. ``requests`` holds what was sent, in order."""

    def __init__(self, *script: Scripted, models: tuple[str, ...] = ("scripted",)) -> None:
        self._script = deque(script)
        self._models = models
        self.requests: list[Request] = []
        self.closed = False

    def queue(self, *script: Scripted) -> None:
        self._script.extend(script)

    @property
    def left(self) -> int:
        """Rounds not played yet."""
        return len(self._script)

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        self.requests.append(request)
        if not self._script:
            raise ProviderFault("unknown", host="the script", message="the script has no more rounds")
        scripted = self._script.popleft()
        # Not on the loop: a callable may move the memory switch, which waits for this request to end.
        script = scripted if isinstance(scripted, ScriptedRound) else await asyncio.to_thread(scripted, request)
        parts: list[ReplyPart] = []
        for step in script.steps:
            match step:
                case Hold():
                    await step.passed()
                case ProviderFault():
                    raise step
                case _:
                    await asyncio.sleep(0)  # a real stream lets others run between two pieces
                    _add(parts, step, request.model)
                    if isinstance(step, str) and step:
                        yield TextChunk(text=step)
                    elif isinstance(step, Think):
                        yield ThinkingChunk(characters=len(step.text))
        yield RoundDone(parts=tuple(parts), stop=script.stop, usage=script.usage, model=script.model)

    async def list_models(self, *, every: bool = False) -> list[str]:
        return list(self._models)

    async def close(self) -> None:
        self.closed = True


def _add(parts: list[ReplyPart], step: str | Think | ToolCallPart, model: str) -> None:
    match step:
        case str():
            last = parts[-1] if parts else None
            if isinstance(last, TextPart):
                parts[-1] = TextPart(text=last.text + step)
            elif step:
                parts.append(TextPart(text=step))
        case Think():
            raw = {"type": "thinking", "thinking": step.text, "signature": "scripted"}
            parts.append(OpaquePart(raw=raw, server=SERVER, model=model))
        case ToolCallPart():
            parts.append(step)
