"""What can go wrong with an MCP server."""

from __future__ import annotations

from pet.errors import ProblemError


class McpFailed(ProblemError):
    """``server``: its name. ``problem`` is the catalogue's key after ``mcp_``: not_started, no_program, starting,
    slow, died, flood, unreachable, call_slow, call_failed, tool_said, asks, answer, changed, not_allowed, unknown,
    gone.
    """

    family = "mcp"


class McpRefused(ProblemError):
    """A server that can't be added. ``problem`` is the catalogue's key after ``mcp_entry_``: unreadable, none, name,
    reserved, damaged, twice, too_many, no_command, address, plain, sse, too_long, unseen, key.
    """

    family = "mcp_entry"
