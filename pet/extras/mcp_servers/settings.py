"""The limits of calls to MCP servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pet.settings.setting import Number, Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    mcp_seconds: Annotated[int, Spec("tools", Number(5, 600))] = 60  # of one call
    mcp_characters: Annotated[int, Spec("tools", Number(1_000, 200_000))] = 20_000  # of one result in a request
