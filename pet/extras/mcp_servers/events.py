"""The event of MCP servers."""

from __future__ import annotations

from pet.events import Event


class McpServersChanged(Event):
    """The list of servers, or what one of them is doing, changed."""
