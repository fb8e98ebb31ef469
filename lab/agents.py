"""``python -m lab.agents``: run other agents' own programs against ``pet mcp``, and print a row for each.

Each program is installed from its registry by name, into ``build/agents``, and started in a home of its own beside a
pet that runs here. Its model is a server that replies with one call of a tool of the pet, so the rows say what went
over the real protocols: version, set-up, time to the first answer, list, a call in each position, the events of its
hooks, and whether taking out gave its files back. Opt-in (``make agents``): it needs npm, the registries and some
minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pet.app import Pet
from pet.bridge.command import Client
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import SocketServer
from pet.extras.agents.access import AgentMode
from pet.extras.agents.installation import hook_programs, programs
from pet.extras.agents.views import open_book
from pet.paths import find_home
from tests.support.files import write_files
from tests.support.models.scripted import ScriptedProvider
from tests.support.servers.chat_replies import call, chat
from tests.support.servers.protocol_replies import Call, Reply, stream
from tests.support.servers.protocol_server import ProtocolServer, Recorded
from tests.support.servers.responses_replies import responses

FOLDER = Path(__file__).parents[1] / "build" / "agents"
CANARY = "canary-7f3a"
PROMPT = "Who am I? Ask the pet."
_SECONDS = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """``words``: of its command line, ``first`` of one before the set-up, ``environ``, and ``files`` in its home,
    with @MODEL@ for the address of the model's server; ``hooks``: whether the pet has hooks for it."""

    id: str
    package: str
    program: str
    words: Sequence[str]
    first: Sequence[str] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    hooks: bool = False


AGENTS = (
    Agent(
        id="claude-code",
        package="@anthropic-ai/claude-code",
        program="claude",
        words=("-p", PROMPT, "--allowedTools", "mcp__soulpet", "--model", "claude-sonnet-4-5"),
        environ={"ANTHROPIC_BASE_URL": "@MODEL@", "ANTHROPIC_API_KEY": "k", "DISABLE_TELEMETRY": "1"},
        files={".claude/settings.json": "{}\n"},
        hooks=True,
    ),
    Agent(
        id="codex",
        package="@openai/codex",
        program="codex",
        words=("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", PROMPT),
        environ={"KEY": "k"},
        files={
            ".codex/config.toml": 'model = "test"\nmodel_provider = "here"\n[model_providers.here]\nname = "here"\n'
            'base_url = "@MODEL@/v1"\nwire_api = "responses"\nenv_key = "KEY"\n'
        },
        hooks=True,
    ),
    Agent(
        id="gemini",
        package="@google/gemini-cli",
        program="gemini",
        words=("-p", PROMPT, "--approval-mode", "yolo", "-m", "gemini-2.5-flash"),
        environ={"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": "@MODEL@", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
        files={".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n'},
        hooks=True,
    ),
    Agent(
        id="opencode",
        package="opencode-ai",
        program="opencode",
        words=("run", PROMPT, "-m", "here/test"),
        files={
            ".config/opencode/opencode.json": '{"$schema": "https://opencode.ai/config.json", "provider": {"here": '
            '{"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "@MODEL@/v1", "apiKey": "k"}, '
            '"models": {"test": {"name": "test", "tool_call": true}}}}}\n'
        },
    ),
    Agent(
        id="qwen",
        package="@qwen-code/qwen-code",
        program="qwen",
        words=("-p", PROMPT, "--approval-mode", "yolo", "--auth-type", "openai"),
        environ={"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "@MODEL@/v1", "OPENAI_MODEL": "test"},
    ),
    Agent(
        id="cline",
        package="cline",
        program="cline",
        words=("-P", "openai-compatible", "-m", "test", PROMPT),
        first=("auth", "-p", "openai-compatible", "-k", "k", "-b", "@MODEL@/v1", "-m", "test"),
    ),
)


# --- the model's server ---------------------------------------------------------------------------


CALL, SEARCH = "call_of_the_lab", "search_of_the_lab"


@dataclass(slots=True)
class Model:
    """Calls the wanted tool where a request offers it and has no result yet, else ends with a sentence."""

    tool: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, request: Recorded) -> Reply:
        body: dict[str, Any] = request.json if request.body else {}
        text = request.body.decode("utf-8", "replace")
        tools = dict(_tools(body.get("tools")))
        made: Call | None = None
        if CALL not in text and (name := next((each for each in tools if each.endswith(self.tool)), "")):
            made = Call(name, self.arguments, id=CALL)
        elif "tool_search" in tools and SEARCH not in text:  # some load tools when they are sought
            made = Call("tool_search", {"query": f"select:mcp__soulpet__{self.tool}"}, id=SEARCH)
        if "contents" in body or "generateContent" in request.path:
            return _gemini(made)
        if request.route.endswith("/responses"):
            return _responses(made, tools)
        if request.route.endswith("/messages"):
            return stream(made or "Done.")
        if made is None:
            return chat("Done.")
        return chat(call(made.name, json.dumps(made.arguments), id_=made.id), finish="tool_calls")


def _tools(value: object, space: str = "") -> Iterator[tuple[str, str]]:
    """Yield the names of tools, in the form of any of the protocols, each with its namespace."""
    for each in value if isinstance(value, list) else ():
        if isinstance(each, dict):
            inner = each.get("functionDeclarations") or each.get("tools")
            yield from _tools(inner, str(each.get("name", "")))
            about = each.get("function", each)
            if not inner and isinstance(about, dict) and isinstance(about.get("name"), str):
                yield about["name"], space


def _responses(made: Call | None, tools: Mapping[str, str]) -> Reply:
    if made is None:
        return responses("Done.")
    plain, space = responses(made), tools.get(made.name, "")
    name = f'"name": "{made.name}"'.encode()
    spaced = b'"namespace": ' + json.dumps(space).encode() + b", " + name if space else name
    return replace(plain, steps=tuple(each.replace(name, spaced) for each in plain.steps if isinstance(each, bytes)))


def _gemini(made: Call | None) -> Reply:
    part: dict[str, object] = {"text": "Done."}
    if made is not None:
        part = {"functionCall": {"id": made.id, "name": made.name, "args": made.arguments}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    data = json.dumps({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "test"})
    return Reply(headers={"content-type": "text/event-stream"}, steps=(f"data: {data}\n\n".encode(),))


# --- one program ----------------------------------------------------------------------------------


def installed(agent: Agent) -> Path:
    """Return the program, installed by its name. Raises CalledProcessError."""
    folder = FOLDER / agent.id
    program = folder / "node_modules" / ".bin" / agent.program
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), agent.package]
        subprocess.run(command, check=True, capture_output=True, timeout=900)
    return program


@contextmanager
def running_pet(home: Path) -> Iterator[Pet]:
    where = find_home(home)
    write_files(where.workspace("pet"), {"SOUL.md": "# Soul\n", "USER.md": f"# About me\n- Name: {CANARY}\n"})
    instance = SingleInstance(where)
    if not instance.acquire():
        raise RuntimeError("a pet runs in this home")
    app = Pet(where, provider=ScriptedProvider(), environ={})
    socket = SocketServer(where, app.commands, instance)
    socket.start()
    try:
        yield app
    finally:
        socket.close()
        app.close()
        instance.release()


def rows(agent: Agent, program: Path, model: Model, server: ProtocolServer, home: Path) -> Iterator[tuple[str, str]]:
    """Yield what was tried, and what came of it."""
    work = home / "work"
    ours = ("XDG_CONFIG", "CODEX", "CLAUDE", "GEMINI", "QWEN", "OPENCODE")  # of who runs this
    environ = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environ |= {"HOME": str(home), "PWD": str(work), "LANG": "C.UTF-8", "CI": "1", "NO_COLOR": "1", "TERM": "dumb"}
    environ |= {name: value.replace("@MODEL@", server.url) for name, value in agent.environ.items()}
    work.mkdir(parents=True)
    write_files(home, {name: text.replace("@MODEL@", server.url) for name, text in agent.files.items()})

    def run(*words: str) -> str:
        done = subprocess.run(
            words, cwd=work, env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
        return (done.stdout + done.stderr).decode("utf-8", "replace")

    def pet(*words: str) -> str:
        command = [sys.executable, "-P", "-m", "pet", "--home", str(home / "pet"), *words]
        return " ".join(run(*command).split())

    version = re.search(r"\d+\.\d+\.\d+\S*", run(str(program), "--version"))
    yield "version", version[0] if version else "?"
    if agent.first:
        run(str(program), *(word.replace("@MODEL@", server.url) for word in agent.first))
    before = {name: (home / name).read_bytes() for name in _settings(agent) if (home / name).exists()}
    with running_pet(home / "pet") as app:
        yield "set-up", pet("mcp", "install", agent.id)
        if agent.hooks:
            yield "hooks set up", pet("agent", "install", agent.id)
        yield "first answer", first_answer(home / "pet", work)
        for mode in AgentMode:
            writes = mode in (AgentMode.PROPOSE, AgentMode.WRITE)
            model.tool = "remember" if writes else "owner_profile"
            model.arguments = {"content": f"The lab ran with {mode}"} if writes else {}
            for client in open_book(app).state().clients:
                open_book(app).set_mode(client.label, mode)
            count, begun = len(server.requests), time.monotonic()
            said = run(str(program), *agent.words)
            text = "".join(each.body.decode("utf-8", "replace") for each in server.requests[count:])
            if mode is AgentMode.OFF:
                yield "list", "in its request" if "owner_profile" in text else "absent"
            notes = [each.receipt for each in open_book(app).state().notes if each.text.endswith(f" {mode}")]
            if writes:
                answer = "nothing" if not notes else "written" if notes[0] else "proposed"
            else:
                answer = "given" if CANARY in text else "refused" if CALL in text else "no call"
            end = f": {said.strip()[-120:]!r}" if CALL not in text else ""
            yield f"call, {mode}", f"{answer}, {time.monotonic() - begun:.0f} s{end}"
        view = json.loads(app.commands.invoke(Client.CHAT, "list_agents", "{}"))["value"]
        yield "names", ", ".join(f"{each['title']} in {each['folder']}" for each in view["clients"]) or "none"
        if agent.hooks:
            last = next(each["last_event"] for each in view["programs"] if each["id"] == agent.id)
            yield "hooks", f"last event {last}" if last else "no event came"
            yield "hooks taken out", pet("agent", "remove", agent.id)
        yield "take-out", pet("mcp", "remove", agent.id)
    after = {name: (home / name).read_bytes() for name in _settings(agent) if (home / name).exists()}
    left = [str(each) for each in home.rglob("*.before-soulpet")]
    entry = b'"soulpet"'  # a file that was not there may have become the program's own meanwhile
    changed = sorted(name for name, data in before.items() if after.get(name) != data)
    left += [name for name, data in after.items() if entry in data]
    yield "files", "as before" if not (changed or left) else f"differ: {', '.join(changed + left)}"


def first_answer(home: Path, folder: Path) -> str:
    """Return the time to the list of tools, and the CPU that it took."""
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "lab", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
    ]
    command = [sys.executable, "-P", "-m", "pet", "--home", str(home), "mcp"]
    before, begun = os.times(), time.monotonic()
    lines = "".join(f"{json.dumps(each)}\n" for each in messages)
    done = subprocess.run(command, cwd=folder, input=lines, capture_output=True, text=True, timeout=60, check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return f"{len(done.stdout.splitlines())} of 2 in {time.monotonic() - begun:.2f} s, {cpu:.2f} s of CPU"


def _settings(agent: Agent) -> list[str]:
    """Return the settings files that the pet edits for this agent, below its home."""
    files = [each.file for each in programs({}) if each.id == agent.id]
    files += [each.file for each in hook_programs() if each.id == agent.id]
    return [str(each.relative_to(Path.home())) for each in files]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.agents", description=__doc__)
    parser.add_argument("--only", nargs="*", default=[each.id for each in AGENTS], help="these programs alone")
    asked = parser.parse_args(arguments)
    for agent in AGENTS:
        if agent.id not in asked.only:
            continue
        print(f"\n{agent.id} ({agent.package})", flush=True)
        try:
            program = installed(agent)
            model = Model()
            with ProtocolServer(default=model) as server, TemporaryDirectory() as folder:
                for name, result in rows(agent, program, model, server, Path(folder).resolve()):
                    print(f"  {name:<16} {result}", flush=True)
        except (subprocess.SubprocessError, OSError) as error:
            print(f"  not tried        {error}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
