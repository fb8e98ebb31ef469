"""The owner's MCP servers: list, add, allow, test, choose tools, remove."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pet.bridge.command import Client, command
from pet.engine.event_loop import EngineLoop
from pet.events import ErrorInfo
from pet.extras.mcp_servers.entries import (
    MOST,
    GivenServer,
    ServerEntry,
    make_given,
    read_servers,
    servers_of_programs,
)
from pet.extras.mcp_servers.running import Servers, State
from pet.settings.api_keys import Keep

_WINDOWS = os.name == "nt"


@dataclass(frozen=True, slots=True, kw_only=True)
class McpToolView:
    name: str
    about: str
    wanted: bool
    changes: bool  # it says that it changes something
    always: bool  # it is called without a question


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerView:
    """``command``: the whole command line, or the address. ``env``: variables with their values, keys without.
    ``too_large``: tools that are left out."""

    name: str
    command: str
    env: list[str]
    secrets: list[str]
    digest: str
    is_allowed: bool
    state: State
    problem: ErrorInfo | None
    tools: list[McpToolView]
    too_large: int


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerList:
    """``most``: tools in a request."""

    servers: list[McpServerView]
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundServer:
    """A server in another program's file. ``added``: there is one of this name already."""

    program: str
    name: str
    command: str
    added: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundServers:
    servers: list[FoundServer]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedServers:
    names: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewServer:
    """From the form. ``command``: a command line or an address; ``env``: variables, or headers of an address."""

    name: str
    command: str
    env: dict[str, str] = field(default_factory=dict)
    keep: Keep = "keyring"


@dataclass(frozen=True, slots=True)
class McpCommands:
    servers: Servers
    loop: EngineLoop

    @command(Client.CHAT)
    def list_mcp_servers(self) -> McpServerList:
        """Return the servers in the order in which they were added."""
        return McpServerList(servers=[self._view(each) for each in self.servers.entries.list()], most=MOST)

    @command(Client.CHAT)
    def add_mcp_server(self, args: NewServer) -> AddedServers:
        """Add a server that is not yet allowed. Raises McpRefused, KeyStoreFailed."""
        return self._add([given_of(args.name, args.command, args.env)], args.keep)

    @command(Client.CHAT)
    def paste_mcp_servers(self, text: str, name: str = "", keep: Keep = "keyring") -> AddedServers:
        """Add the servers of a pasted text, not yet allowed. Raises McpRefused, KeyStoreFailed.

        ``name``: of one that has none.
        """
        return self._add(read_servers(text, name), keep)

    @command(Client.CHAT)
    def find_mcp_servers(self) -> FoundServers:
        """Return the servers in the files of other programs on this computer."""
        known = {each.name.casefold() for each in self.servers.entries.list()}
        return FoundServers(
            servers=[
                FoundServer(
                    program=program,
                    name=each.entry.name,
                    command=command_line(each.entry),
                    added=each.entry.name.casefold() in known,
                )
                for program, each in servers_of_programs()
            ]
        )

    @command(Client.CHAT)
    def take_mcp_server(self, program: str, name: str, keep: Keep = "keyring") -> AddedServers:
        """Add a server from another program's file, not yet allowed. Raises McpRefused, KeyStoreFailed."""
        return self._add(
            [each for of, each in servers_of_programs() if (of, each.entry.name) == (program, name)], keep
        )

    @command(Client.CHAT)
    def allow_mcp_server(self, name: str, digest: str) -> None:
        """Allow a server to be started as it is. Raises McpFailed.

        ``digest``: of the entry that the owner saw: nothing else is allowed.
        """
        self.servers.entries.change(
            name, lambda entry: replace(entry, allowed=digest) if entry.digest == digest else entry
        )
        self.servers.announce()

    @command(Client.CHAT)
    def test_mcp_server(self, name: str) -> McpServerView:
        """Start a server, or ask one that runs, and return it with its tools. Raises McpFailed."""
        entry = self.servers.entries.find(name)
        self.loop.submit(self.servers.start(entry)).result()
        return self._view(entry)

    @command(Client.CHAT)
    def choose_mcp_tool(self, server: str, tool: str, wanted: bool) -> None:
        """Let conversations have a tool, or not. Raises McpFailed."""

        def chosen(entry: ServerEntry) -> ServerEntry:
            others = tuple(each for each in entry.left_out if each != tool)
            return replace(entry, left_out=others if wanted else (*others, tool))

        self.servers.entries.change(server, chosen)
        self.servers.announce()

    @command(Client.CHAT)
    def ask_mcp_tools(self, server: str) -> None:
        """Ask again before the calls of a server's tools that were always allowed. Raises McpFailed."""
        self.servers.entries.change(server, lambda entry: replace(entry, always=()))
        self.servers.allowed_here.clear()
        self.servers.announce()

    @command(Client.CHAT)
    def remove_mcp_server(self, name: str) -> None:
        """End a server and remove it with its keys. Raises McpFailed, KeyStoreFailed."""
        self.servers.entries.remove(name)
        self.servers.allowed_here.clear()  # another server may get this name
        self.loop.submit(self.servers.stop(name)).result()

    def _add(self, given: list[GivenServer], keep: Keep) -> AddedServers:
        names = [self.servers.entries.add(each, keep).name for each in given]
        self.servers.announce()
        return AddedServers(names=names)

    def _view(self, entry: ServerEntry) -> McpServerView:
        state, problem, too_large = self.servers.state(entry.name)
        return McpServerView(
            name=entry.name,
            command=command_line(entry),
            env=[f"{name}={value}" for name, value in entry.env.items()],
            secrets=list(entry.secrets),
            digest=entry.digest,
            is_allowed=entry.is_allowed,
            state=state,
            problem=ErrorInfo.of(problem) if problem is not None else None,
            tools=[
                McpToolView(
                    name=each.name,
                    about=each.description,
                    wanted=each.name not in entry.left_out,
                    changes=each.changes,
                    always=each.digest in entry.always,
                )
                for each in self.servers.listed(entry.name)
            ],
            too_large=too_large,
        )


def command_line(entry: ServerEntry) -> str:
    """Return all that is run, with its folder, as one line; or the address."""
    if entry.url:
        return entry.url
    line = subprocess.list2cmdline(entry.command) if _WINDOWS else shlex.join(entry.command)
    return f"cd {shlex.quote(entry.folder)} && {line}" if entry.folder else line


def given_of(name: str, line: str, env: Mapping[str, str]) -> GivenServer:
    """Return a server by a command line or an address. Raises McpRefused."""
    line = line.strip()
    if line.startswith(("http://", "https://")):
        return make_given(name, (), line, env)
    try:
        command = [part.strip('"') for part in shlex.split(line, posix=False)] if _WINDOWS else shlex.split(line)
    except ValueError:
        command = line.split()
    return make_given(name, command, "", env)
