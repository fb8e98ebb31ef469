"""The limits of calls to MCP servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pet.settings.setting import Number, Shown, Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    mcp_seconds: Annotated[int, Spec("tools", Number(5, 600), row=Shown("servers", 1))] = 60  # of one call
    # of one result in a request
    mcp_characters: Annotated[int, Spec("tools", Number(1_000, 200_000), row=Shown("servers", 2))] = 20_000
