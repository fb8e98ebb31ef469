"""Numbers in a server's refusal of a request: its window, the prompt as counted, the longest reply. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"(\d{1,3}(?:,\d{3})+(?!\d)|\d+)"
_SUM = re.compile(
    rf"{_NUMBER} \+ {_NUMBER} > {_NUMBER}"
)  # Anthropic: "exceed context limit: 190000 + 21333 > 200000"
_WINDOW = re.compile(
    rf"(?:context (?:length|window|size)|max_model_len|`inputs` tokens \+ `max_new_tokens` must)\D{{1,12}}{_NUMBER}",
    re.I,
)
_TOTAL = re.compile(rf"requested (?:about |a total of )?{_NUMBER} tokens", re.I)
_PROMPT = re.compile(
    rf"{_NUMBER} (?:input tokens|tokens from the input|`inputs`|(?:tokens )?in the (?:messages|prompt))"
)
_REPLY = re.compile(r"max_(?:completion_|output_|new_)?tokens|(?:output|completion) tokens", re.I)
_MOST = re.compile(
    rf"\[ ?\d+ ?, ?{_NUMBER} ?\]|(?:at most|less than or equal to|must be <=|> |between \d+ and)\W{{0,2}}{_NUMBER}",
    re.I,
)


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """Tokens, 0 where the refusal names none. ``most``: of a reply alone."""

    window: int = 0
    prompt: int = 0
    most: int = 0


NO_LIMITS = OutputLimits()


def limits_in(message: str, asked: int) -> OutputLimits:
    """Return the numbers in a refusal of a request that asked for a reply of ``asked`` tokens.

    >>> limits_in("Invalid max_tokens value, the valid range of max_tokens is [1, 4096]", 8096)
    OutputLimits(window=0, prompt=0, most=4096)
    """
    if (summed := _SUM.search(message)) and "context" in message:
        prompt, _, window = (_int(number) for number in summed.groups())
        return OutputLimits(window=window, prompt=prompt)
    if named := _WINDOW.search(message):
        window = _int(named[1])
        total, counted = _TOTAL.search(message), _PROMPT.search(message)
        prompt = _int(total[1]) - asked if total else _int(counted[1]) if counted else 0
        return OutputLimits(window=window, prompt=prompt if prompt > window + 1 - asked else 0)  # vLLM: "at least"
    if asked and _REPLY.search(message):
        bounds = [_int(first or second) for first, second in _MOST.findall(message)]
        return OutputLimits(most=max((bound for bound in bounds if 0 < bound < asked), default=0))
    return NO_LIMITS


def _int(number: str) -> int:
    return int(number.replace(",", ""))
