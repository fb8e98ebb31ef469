"""How large a request is in tokens, and how large it may be: estimated, and set right by what servers tell.

Owns the ratio between our estimate and a server's count, and the window a server named by refusing. Refuses to
believe a count that leaves out most of what was sent, as some servers' do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil

from pet.errors import ProviderFault
from pet.model import (
    ContextPart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    Request,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Usage,
)
from pet.prompt.tokens import UNKNOWN_WINDOW, estimate_tokens

_PIXELS_PER_TOKEN = 750
_PER_PART = 4  # tokens around each part of a message
_LEAST_RATIO, _MOST_RATIO = 0.6, 3.0
_SMALLEST_WINDOW = 1_000
_NUMBER = re.compile(r"\d[\d,]{2,9}")


def parts_tokens(parts: Iterable[Part]) -> int:
    return sum(_PER_PART + _tokens(part) for part in parts)


def messages_tokens(messages: Iterable[Message]) -> int:
    return sum(parts_tokens(message.parts) for message in messages)


def request_tokens(request: Request) -> int:
    """The whole request: system, tools and messages."""
    system = sum(estimate_tokens(block.text) for block in request.system)
    tools = sum(
        estimate_tokens(tool.name + tool.description + json.dumps(tool.schema, ensure_ascii=False))
        for tool in request.tools
    )
    return system + tools + messages_tokens(request.messages)


def _tokens(part: Part) -> int:
    if isinstance(part, ImagePart):
        return picture_tokens(part.width, part.height)
    return estimate_tokens(_text(part))


def picture_tokens(width: int, height: int) -> int:
    """About what models count for a picture, by its size alone."""
    return ceil(width * height / _PIXELS_PER_TOKEN)


def _text(part: TextPart | ContextPart | ToolResultPart | ToolCallPart | OpaquePart) -> str:
    match part:
        case TextPart(text=text) | ContextPart(text=text) | ToolResultPart(text=text):
            return text
        case ToolCallPart(name=name, arguments=arguments):
            return name + arguments
        case OpaquePart(raw=raw):
            return json.dumps(raw, ensure_ascii=False, default=str)


@dataclass(slots=True)
class TokenEstimator:
    """What is known of one model's counting and window; kept as long as the program runs."""

    ratio: float = 1.0
    learned: int = 0  # the window, as a refusal told it
    blind: bool = False  # it takes no pictures, as a refusal told

    def window(self, setting: int) -> int:
        """In tokens; ``setting`` 0: the owner doesn't know it either."""
        return self.learned or setting or UNKNOWN_WINDOW

    def tokens(self, request: Request) -> int:
        return round(request_tokens(request) * self.ratio)

    def counted(self, request: Request, usage: Usage) -> None:
        """A server answered and told how much it had read."""
        read = (usage.input_tokens or 0) + (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
        ratio = read / max(1, request_tokens(request))
        if ratio >= _LEAST_RATIO / 2:  # less is no count of what was sent
            self.ratio = min(_MOST_RATIO, max(_LEAST_RATIO, ratio))

    def refused(self, request: Request, fault: ProviderFault) -> None:
        """A server said that the request is too long for its window, and perhaps how long that is."""
        sent = self.tokens(request)
        named = [int(number.replace(",", "")) for number in _NUMBER.findall(str(fault.args_.get("message", "")))]
        likely = [number for number in named if sent * 0.2 <= number <= sent * 2]
        # In our own counting what was sent is too much, whatever the server counts.
        self.learned = max(_SMALLEST_WINDOW, min(*likely, int(sent * 0.95)) if likely else int(sent * 0.9))


@dataclass(slots=True)
class TokenEstimators:
    """One ``TokenEstimator`` for each model there was."""

    known: dict[str, TokenEstimator] = field(default_factory=dict)

    def of(self, model: str) -> TokenEstimator:
        return self.known.setdefault(model, TokenEstimator())
