"""Differences between servers of the chat completions protocol: known per host, and learned from rejections.

One ``Quirks`` per provider. A rejected request is repeated with the changed quirks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

TokenField = Literal["max_tokens", "max_completion_tokens"]

_OPENAI = "api.openai.com"
_EFFORT_HOSTS = (_OPENAI, "generativelanguage.googleapis.com", "openrouter.ai", "api.x.ai", "api.groq.com")
_SHORT_ID_HOSTS = ("api.mistral.ai",)  # call ids are exactly nine letters or digits
_TOKENS = re.compile(r"max_(?:completion_)?tokens", re.I)
_REFUSED = frozenset({400, 422})


@dataclass(slots=True)
class Quirks:
    """``thinking_switch``: the server accepts ``chat_template_kwargs`` (llama.cpp, vLLM)."""

    token_field: TokenField = "max_tokens"  # noqa: S105  the name of a field
    usage_wanted: bool = True  # stream_options.include_usage
    short_ids: bool = False
    effort: bool = False
    temperature: bool = True
    schema: bool = True
    thinking_switch: bool = False

    def learn(self, status: int, message: str) -> bool:
        """Adapt to the field that a rejection names. Return whether to repeat the request."""
        if status not in _REFUSED:
            return False
        if self.usage_wanted and ("stream_options" in message or "include_usage" in message):
            self.usage_wanted = False
        elif self.token_field == "max_tokens" and "max_completion_tokens" in message:  # noqa: S105
            self.token_field = "max_completion_tokens"  # noqa: S105
        elif self.token_field == "max_completion_tokens" and _TOKENS.search(message):  # noqa: S105
            self.token_field = "max_tokens"  # noqa: S105
        elif self.temperature and "temperature" in message:
            self.temperature = False
        elif self.effort and "reasoning_effort" in message:
            self.effort = False
        elif self.schema and ("response_format" in message or "json_schema" in message):
            self.schema = False
        elif self.thinking_switch and "chat_template_kwargs" in message:
            self.thinking_switch = False
        else:
            return False
        return True


def quirks_of(host: str, *, loopback: bool) -> Quirks:
    """Return the quirks known of a host."""
    name = host.partition(":")[0]
    return Quirks(
        token_field="max_completion_tokens" if name == _OPENAI else "max_tokens",
        short_ids=name in _SHORT_ID_HOSTS,
        effort=name in _EFFORT_HOSTS,
        thinking_switch=loopback,
    )
