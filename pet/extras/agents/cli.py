"""``pet say``, ``pet agent``, and ``pet mcp``: the memory as an MCP server over standard input and output.

A thin process, one for each session of an agent. It asks the running pet over the local socket, and opens the pet's
files itself where none runs. Standard output carries the protocol alone.
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pet import __version__
from pet.cli.arguments import Given, UsageProblem
from pet.i18n import Texts
from pet.paths import Home

if TYPE_CHECKING:
    from collections.abc import Callable

    from pet.extras.agents.gateway import AgentGateway
    from pet.extras.agents.installation import Done
    from pet.services.pet_files import PetFiles

# An agent waits for the list of tools at each start of ``pet mcp``: what a call needs is imported by the call.
_SECONDS = 20.0  # for one call; the first search may load the embedders
_ELSEWHERE = ("unknown_command", "unknown_pet", "not_allowed")
"""Answers of a pet of an earlier version, or of another pet than is meant: the files are opened here."""


def mcp(given: Given, home: Home, texts: Texts) -> int:
    """Serve until the agent closes the input; or put the server in a program's settings file, or take it out."""
    if given.action in ("install", "remove"):
        return _set_up(given, home, texts)
    _check_piped("pet mcp install CLIENT")
    from pet.extras.agents.agent_tools import agent_tools
    from pet.extras.agents.protocol import McpServer

    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not end up between messages
    memory = _Memory(home=home, pet=given.pet, folder=_folder(), texts=texts)
    McpServer(
        source=sys.stdin.buffer,
        sink=sink,
        version=__version__,
        tools=[each.listed() for each in agent_tools(texts)],
        instructions=texts("agents.instructions"),
        answer=memory.answer,
    ).serve()
    memory.close()
    return 0


def _check_piped(command: str) -> None:
    """Raises UsageProblem if a person typed what programs start: it would wait without a word."""
    if sys.stdin.isatty():
        raise UsageProblem("for_programs", command=command)


def _set_up(given: Given, home: Home, texts: Texts) -> int:
    """Raises UnknownPet for an entry that would name a pet that isn't there."""
    from pet.errors import UnknownPet
    from pet.extras.agents.installation import find_program, install, server_command, uninstall
    from pet.workspace.pet_registry import list_ids

    program = find_program(given.client)
    if given.action == "install" and given.pet is not None and given.pet not in list_ids(home):
        raise UnknownPet(pet_id=given.pet)
    command = server_command(_portable(given), given.pet)
    install_, remove = partial(install, program, command), partial(uninstall, program)
    _change_settings(given, texts, program.file, program.pasted(command), install_, remove)
    return 0


def _change_settings(
    given: Given,
    texts: Texts,
    path: Path,
    pasted: str,
    install: Callable[[], Done],
    remove: Callable[[], bool],
    words: str = "cli.mcp.",
) -> Done | None:
    """Install something in another program's file, remove it, or print it, and say so; return whether and how it was
    installed. ``words``: how its own texts are named. Raises AgentFileRefused after printing what to paste."""
    from pet.cli.terminal import Terminal, safe
    from pet.extras.agents.installation import AgentFileRefused

    terminal, file = Terminal.standard(), safe(str(path))
    if given.action == "remove":
        terminal.say(texts(f"{words}removed" if remove() else "cli.mcp.absent", file=file))
        return None
    if given.show:
        terminal.say(pasted)
        return None
    try:
        done = install()
    except AgentFileRefused:
        terminal.say(texts("cli.mcp.paste", file=file) + "\n\n" + pasted)
        raise
    terminal.say(texts("cli.mcp.present" if done == "present" else f"{words}{done}", file=file))
    return done


def _portable(given: Given) -> Path | None:
    return Path(given.home).expanduser().absolute() if given.home else None


def agent(given: Given, home: Home, texts: Texts) -> int:
    """Report one event of an agent's hook, and return 0 whatever the event is; or install the hooks, or remove them.

    Raises UsageProblem at a terminal, where no agent starts it.
    """
    if given.action in ("install", "remove"):
        return _set_up_hooks(given, home, texts)
    _check_piped("pet agent install CLIENT")
    from pet.bridge.channel import ChannelBroken, NotListening
    from pet.bridge.socket_server import connect
    from pet.extras.agents.hook import frame_of, read_event, report
    from pet.extras.agents.installation import hook_programs

    def call(name: str, args: str, seconds: float) -> str | None:
        try:
            with contextlib.closing(connect(home, max(seconds, 1.0))) as channel:
                channel.verify()
                channel.send(frame_of(name, args))
                return channel.receive().decode("ascii", "replace")
        except (NotListening, ChannelBroken):
            return None

    with contextlib.suppress(Exception):  # whatever the event is, the agent goes on
        name = next((each.client for each in hook_programs() if each.id == given.client), given.client or "?")
        own_home, folder = str(Path("~").expanduser()), str(Path.cwd())
        sys.stdout.write(report(read_event(sys.stdin.buffer), name, os.getppid(), own_home, folder, call))
    return 0


def _set_up_hooks(given: Given, home: Home, texts: Texts) -> int:
    from pet.cli.terminal import Terminal
    from pet.extras.agents.installation import find_hooks, hook_command, install_hooks, pasted_hooks, remove_hooks

    program = find_hooks(given.client)
    command = hook_command(program.client, home.state, _portable(given))
    install, remove = partial(install_hooks, program, command), partial(remove_hooks, program)
    pasted = pasted_hooks(program, command)
    done = _change_settings(given, texts, program.file, pasted, install, remove, "cli.agent.")
    if done is not None and program.are_disabled():
        Terminal.standard().say(texts("cli.agent.disabled"))
    elif done in ("installed", "replaced") and program.id == "codex":
        Terminal.standard().say(texts("cli.agent.trust"))
    return 0


def say(given: Given, home: Home, texts: Texts) -> int:
    """Show a line in the bubble of the named pet, by default of the one that leads. Return 1 if it doesn't run, or
    if it holds the line back."""
    from pet.bridge.channel import NotListening
    from pet.cli.running_pet import find_running
    from pet.cli.terminal import Terminal, safe
    from pet.extras.agents.commands import AgentCommands

    terminal = Terminal.standard()
    sender = given.sender or texts("cli.say.sender")
    absent = texts("cli.say.no_pet") if given.pet is None else texts("cli.say.not_here", id=safe(given.pet))
    try:
        program = find_running(home, given.pet)
        if program is None:
            terminal.complain(absent)
            return 1
        reply = program[0].call(AgentCommands.say_line, given.text or "", sender, given.mood or "neutral")
    except NotListening:  # it ended meanwhile
        terminal.complain(absent)
        return 1
    if not reply.shown:
        terminal.complain(texts("cli.say.quiet"))
    return 0 if reply.shown else 1


def _folder() -> str:
    """Return the folder that the agent works in, for display."""
    try:
        folder, home = Path.cwd(), Path("~").expanduser()
    except (OSError, RuntimeError):  # the folder is gone, or there is no home
        return "?"
    if folder == home or not folder.is_relative_to(home):
        return "~" if folder == home else str(folder)
    return f"~/{folder.relative_to(home).as_posix()}"


@dataclass(slots=True, kw_only=True)
class _Memory:
    home: Home
    pet: str | None
    folder: str
    texts: Texts
    _lock: Lock = field(init=False, default_factory=Lock)
    _gateway: AgentGateway | None = field(init=False, default=None)
    _files: PetFiles | None = field(init=False, default=None)

    def answer(self, client: str, tool: str, arguments: str) -> tuple[str, bool]:
        from pet.bridge.channel import NotListening
        from pet.bridge.dispatch import CommandFailed
        from pet.cli.running_pet import find_running
        from pet.extras.agents.commands import AgentCommands

        try:
            program = find_running(self.home, self.pet, _SECONDS)
            if program is None:
                return self._answer_here(client, tool, arguments)
            reply = program[0].call(AgentCommands.call_agent_tool, client, self.folder, tool, arguments, self.pet)
        except NotListening:
            return self._answer_here(client, tool, arguments)
        except CommandFailed as failed:
            if failed.error_code in _ELSEWHERE:
                return self._answer_here(client, tool, arguments)
            return self.texts("agents.error.not_answering"), True
        return reply.text, reply.error

    def _answer_here(self, client: str, tool: str, arguments: str) -> tuple[str, bool]:
        """Answer from the files, one call at a time."""
        from pet.errors import PetError
        from pet.extras.agents.book import label_of
        from pet.extras.agents.gateway import agent_error
        from pet.extras.agents.views import gateway_without_pet
        from pet.services.pet_files import PetFiles
        from pet.workspace.pet_registry import list_ids

        with self._lock:
            try:
                if self._gateway is None:
                    if not list_ids(self.home):
                        return self.texts("agents.no_pet"), True
                    self._files = PetFiles(self.home, pet_id=self.pet)
                    self._gateway = gateway_without_pet(self._files)
                reply = self._gateway.call(label_of(client, self.folder), tool, arguments)
            except PetError as error:
                return agent_error(self.texts, error), True
        return reply.text, reply.error

    def close(self) -> None:
        if self._files is not None:
            self._files.close()
