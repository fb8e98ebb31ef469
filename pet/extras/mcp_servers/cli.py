"""``pet tools``: the MCP servers on the command line. A server is allowed by a word after its command was shown."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import replace

from pet.cli.arguments import Given, UsageProblem
from pet.cli.format import error_text
from pet.cli.terminal import Terminal, piped_text, print_json, revealed, safe
from pet.errors import PetError
from pet.events import ErrorInfo
from pet.extras.mcp_servers import McpSettings
from pet.extras.mcp_servers.commands import command_line, given_of
from pet.extras.mcp_servers.entries import (
    GivenServer,
    ServerEntries,
    ServerEntry,
    entries_of,
    make_given,
    read_servers,
)
from pet.extras.mcp_servers.running import Servers, ServerTool
from pet.i18n import Texts
from pet.paths import Home
from pet.services.pet_files import PetFiles
from pet.settings.api_keys import Keep

_MOST_PASTED = 1_000_000


def tools(given: Given, home: Home, texts: Texts) -> int:
    """List the servers, add some, test or remove one. Return 1 if that failed or was refused."""
    with contextlib.closing(PetFiles(home, pet_id=given.pet)) as files:
        entries = entries_of(home, files.keys)
        terminal = Terminal.standard()
        match given.action:
            case "add":
                return _add(given, entries, terminal, texts)
            case "test":
                return _test(entries.find(given.name or ""), entries, terminal, texts)
            case "remove":
                entries.remove(given.name or "")
                terminal.say(texts("cli.tools.removed", name=safe(given.name or "")))
                return 0
            case _:
                return _list(given, entries, terminal, texts)


def _list(given: Given, entries: ServerEntries, terminal: Terminal, texts: Texts) -> int:
    if given.json:
        rows = [
            {"name": each.name, "command": command_line(each), "allowed": each.is_allowed} for each in entries.list()
        ]
        print_json(terminal, {"servers": rows})
        return 0
    for each in entries.list():
        allowed = "" if each.is_allowed else f"  ({texts('ui.mcp.state_waits')})"
        terminal.say(f"{safe(each.name)}{allowed}\n  {revealed(command_line(each))}")
        if each.secrets:
            terminal.say("  " + texts("ui.mcp.keys", names=safe(", ".join(each.secrets))))
    if not entries.list():
        terminal.say(texts("ui.mcp.none"))
    return 0


def _add(given: Given, entries: ServerEntries, terminal: Terminal, texts: Texts) -> int:
    """Add a server by its command or address, or those of the piped JSON."""
    keep: Keep = "file" if given.keep == "file" else "keyring"
    added = [entries.add(each, keep) for each in _given(given, texts)]
    worked = [_allow(each, entries, terminal, texts) for each in added]
    return 0 if all(worked) else 1


def _given(given: Given, texts: Texts) -> list[GivenServer]:
    if given.name is None:
        try:
            pasted = piped_text(texts, most=_MOST_PASTED, needed=True)
        except ValueError:
            raise UsageProblem("piped_no_text") from None
        return read_servers(pasted)
    if given.text is None:
        raise UsageProblem("needs_command", name=given.name)
    server = given_of(given.name, given.text, {})
    env = {name: os.environ.get(name, "") for name in given.env or ()}
    entry = server.entry
    return [make_given(entry.name, entry.command, entry.url, env)]


def _allow(entry: ServerEntry, entries: ServerEntries, terminal: Terminal, texts: Texts) -> bool:
    """Show what is run, and start it once the owner allowed that."""
    terminal.say(texts("ui.mcp.allow_address" if entry.url else "ui.mcp.allow_title"))
    for line in (*(f"{name}={value}" for name, value in entry.env.items()), command_line(entry)):
        terminal.say("  " + revealed(line))
    if entry.secrets:
        terminal.say("  " + texts("ui.mcp.keys", names=safe(", ".join(entry.secrets))))
    if not terminal.can_ask or not terminal.agrees(texts("cli.tools.allow"), texts("cli.confirm.words.allow")):
        terminal.complain(texts("cli.tools.added_only", name=safe(entry.name)))
        return False
    shown = entry.digest
    entries.change(entry.name, lambda now: replace(now, allowed=shown))  # only the entry that was shown is allowed
    return _test(entries.find(entry.name), entries, terminal, texts) == 0


def _test(entry: ServerEntry, entries: ServerEntries, terminal: Terminal, texts: Texts) -> int:
    if not entry.is_allowed and terminal.can_ask:
        return 0 if _allow(entry, entries, terminal, texts) else 1
    try:
        listed = asyncio.run(_started(entry, entries))
    except PetError as problem:
        terminal.complain(error_text(texts, ErrorInfo.of(problem)))
        return 1
    terminal.say(texts("cli.tools.works", name=safe(entry.name), count=len(listed)))
    for each in listed:
        terminal.say(f"  {safe(each.name)}: {safe(each.description)}")
    return 0


async def _started(entry: ServerEntry, entries: ServerEntries) -> tuple[ServerTool, ...]:
    """Return the tools of a server that runs only for this."""
    servers = Servers(entries, lambda _event: None, McpSettings, None)
    try:
        return await servers.start(entry)
    finally:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(servers.close(), 10)
