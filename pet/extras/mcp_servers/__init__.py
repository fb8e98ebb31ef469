"""Tools of the owner's own MCP servers, in conversations whose switch for them is on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pet.extra import Extra, ExtraParts, Switch
from pet.settings.setting import Number, Shown, Spec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pet.access import TurnGate
    from pet.app.pet import Pet
    from pet.cli.arguments import Subcommand
    from pet.tools.tool import TurnTools


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    mcp_seconds: Annotated[int, Spec("tools", Number(5, 600), row=Shown("servers", 1))] = 60  # of one call
    # of one result in a request
    mcp_characters: Annotated[int, Spec("tools", Number(1_000, 200_000), row=Shown("servers", 2))] = 20_000


def _make(app: Pet) -> ExtraParts:
    from pet.extras.mcp_servers.commands import McpCommands
    from pet.extras.mcp_servers.running import servers_of

    return ExtraParts(commands=(McpCommands(servers_of(app), app.loop),))


async def _turn_tools(app: Pet, conversation: str, gate: TurnGate) -> TurnTools:
    from pet.tools.tool import TurnTools

    if SWITCH.name not in gate.access().switches:
        return TurnTools()
    from pet.extras.mcp_servers.calls import tools_for_turn
    from pet.extras.mcp_servers.running import servers_of

    return await tools_for_turn(servers_of(app), conversation)


def _subcommands() -> Mapping[str, Subcommand]:
    from pet.cli.arguments import Option, Subcommand

    named = Subcommand(words=("NAME",))
    keep = Option("--keep", "keyring|file", ("keyring", "file"))
    add = Subcommand(words=("[NAME]", "[TEXT]"), options=(Option("--env", "NAME", several=True), keep))
    return {
        "tools": Subcommand(
            actions={"list": Subcommand(options=(Option("--json"),)), "add": add, "test": named, "remove": named},
            run="pet.extras.mcp_servers.cli.tools",
        )
    }


SWITCH = Switch(name="mcp_servers", word="tools", temporary=True)
EXTRA = Extra(make=_make, settings=McpSettings, turn_tools=_turn_tools, switch=SWITCH, subcommands=_subcommands)
