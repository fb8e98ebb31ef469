"""Token estimates of requests and context windows, calibrated with the counts servers report.

Keeps the ratio of reported to estimated tokens, and the window and the longest reply learned from rejections. Ignores
implausibly low counts, which some servers report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
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
from pet.prompt.budget import UNKNOWN_WINDOW
from pet.text.token_estimate import estimate_tokens

_PIXELS_PER_TOKEN = 750
_PER_PART = 4  # overhead per message part
_LEAST_RATIO, _MOST_RATIO = 0.6, 3.0
_SMALLEST_WINDOW = 1_000
_NUMBER = re.compile(r"\d[\d,]{2,9}")
_LEAST_OUTPUT = 256  # tokens of a reply; a window without room for them is too small for the prompt
_SURE, _UNSURE = 1.1, 1.25
"""Factors for what an estimate may miss: of any, and of one that a server has just refused."""


def parts_tokens(parts: Iterable[Part]) -> int:
    return sum(_PER_PART + _tokens(part) for part in parts)


def messages_tokens(messages: Iterable[Message]) -> int:
    return sum(parts_tokens(message.parts) for message in messages)


def request_tokens(request: Request) -> int:
    """Estimate the whole request: system, tools and messages."""
    system = sum(estimate_tokens(block.text) for block in request.system)
    tools = sum(
        estimate_tokens(tool.name + tool.description + json.dumps(tool.schema, ensure_ascii=False))
        for tool in request.tools
    )
    return system + tools + messages_tokens(request.messages)


def _tokens(part: Part) -> int:
    if isinstance(part, ImagePart):
        return picture_tokens(part.width, part.height)
    match part:
        case TextPart(text=text) | ContextPart(text=text) | ToolResultPart(text=text):
            return estimate_tokens(text)
        case ToolCallPart(name=name, arguments=arguments):
            return estimate_tokens(name + arguments)
        case OpaquePart(raw=raw):
            return estimate_tokens(json.dumps(raw, ensure_ascii=False, default=str))


def picture_tokens(width: int, height: int) -> int:
    """Estimate an image's tokens from its size."""
    return ceil(width * height / _PIXELS_PER_TOKEN)


@dataclass(slots=True)
class TokenEstimator:
    """Learned token ratio and window of one model, for the process lifetime."""

    ratio: float = 1.0
    learned: int = 0  # window size from a rejection
    reported: int = 0  # window size as set, as the server says, or of the model's family
    blind: bool = False  # no image input, from a rejection
    most_output: int = 0  # tokens of a reply, from a rejection

    def window(self, setting: int) -> int:
        """Return the window in tokens; ``setting`` 0: unknown."""
        return self.learned or self.reported or setting or UNKNOWN_WINDOW

    def tokens(self, request: Request) -> int:
        return round(request_tokens(request) * self.ratio)

    def fitted(self, request: Request) -> Request:
        """Return the request, asking for no longer a reply than the known window has room for."""
        asked, window = min(request.max_tokens, self.most_output or request.max_tokens), self.learned or self.reported
        if window and (size := self.tokens(request)) + asked > window:
            asked = min(asked, max(_LEAST_OUTPUT, window - round(size * _SURE)))
        return replace(request, max_tokens=asked)

    def refitted(self, request: Request, fault: ProviderFault) -> Request | None:
        """Return the refused request with a reply as long as the refusal allows, and remember its numbers; None if
        its length isn't what was refused."""
        window, prompt, most = (int(fault.args_.get(name, 0)) for name in ("window", "prompt", "most"))
        if most:
            self.most_output = most
        elif window:
            most = window - (prompt or round(self.tokens(request) * _UNSURE))
            if most < _LEAST_OUTPUT:
                return None
            self.learned = window
        return replace(request, max_tokens=most) if 0 < most < request.max_tokens else None

    def has_room(self, request: Request, fault: ProviderFault) -> bool:
        """Whether the prompt and a short reply fit into the window that the refusal names."""
        return self.tokens(request) + _LEAST_OUTPUT <= int(fault.args_.get("window", 0))

    def counted(self, request: Request, usage: Usage) -> None:
        """Update the ratio from a server's token count."""
        read = (usage.input_tokens or 0) + (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
        ratio = read / max(1, request_tokens(request))
        if ratio >= _LEAST_RATIO / 2:  # a lower ratio is not a count of the request
            self.ratio = min(_MOST_RATIO, max(_LEAST_RATIO, ratio))

    def refused(self, request: Request, fault: ProviderFault) -> None:
        """Learn from a rejection for length, which may include the window size."""
        sent = self.tokens(request)
        named = [int(number.replace(",", "")) for number in _NUMBER.findall(str(fault.args_.get("message", "")))]
        likely = [number for number in named if sent * 0.2 <= number <= sent * 2]
        # The learned window must lie below our own estimate of the request, whatever the server counts.
        self.learned = max(_SMALLEST_WINDOW, min(*likely, int(sent * 0.95)) if likely else int(sent * 0.9))
