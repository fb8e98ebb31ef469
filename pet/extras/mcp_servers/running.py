"""The MCP servers that run: started with the first turn that has their tools, ended an hour after the last use.

The protocol is the official client's, which is imported with the first server. Each server has a task on the engine's
loop, in which its connection is opened and closed. The client declares neither sampling nor input: a server that asks
for one is refused.
"""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import json
import logging
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from pet.errors import PetError
from pet.extras.mcp_servers import McpSettings
from pet.extras.mcp_servers.entries import MOST, McpFailed, ServerEntries, ServerEntry, entries_of
from pet.extras.mcp_servers.events import McpServersChanged
from pet.model import Attachment
from pet.prompt.fence import one_line
from pet.text.unseen import without_tag_characters
from pet.untrusted.parsers import read_json_object

if TYPE_CHECKING:
    import mcp_types
    from mcp import Client, ClientSession

    from pet.app.pet import Pet

_BOUNDED = "soulpet_bounded_utf_8"
"""A text encoding that is UTF-8, and ends with an error once a server wrote more than its budget: the client library
reads a server's lines without a limit, and the encoding of its text is where one fits in."""
_MOST_BYTES = 8 * 1024 * 1024


@dataclass(slots=True)
class Budget:
    """``renew`` it with each request. ``on_spent``: called once, on the event loop's thread."""

    on_spent: Callable[[], object]
    left: int = field(default=_MOST_BYTES)
    spent: bool = False

    def renew(self) -> None:
        self.left = _MOST_BYTES

    def take(self, count: int) -> None:
        """Raises ValueError."""
        self.left -= count
        if self.left < 0:
            if not self.spent:
                self.spent = True
                self.on_spent()
            raise ValueError("too much")


BUDGET: ContextVar[Budget] = ContextVar("mcp_server_budget")
"""The server whose connection is being made."""

_Utf8 = codecs.getincrementaldecoder("utf-8")


class _Decoder(codecs.IncrementalDecoder):
    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._inner = _Utf8("replace")
        self._budget = BUDGET.get()

    def decode(self, input: object, final: bool = False) -> str:  # noqa: A002  the name of the base class
        assert isinstance(input, bytes)
        self._budget.take(len(input))
        return self._inner.decode(input, final)


def _find(name: str) -> codecs.CodecInfo | None:
    if name != _BOUNDED:
        return None
    utf8 = codecs.lookup("utf-8")
    return codecs.CodecInfo(
        encode=utf8.encode,
        decode=utf8.decode,
        incrementaldecoder=_Decoder,
        incrementalencoder=utf8.incrementalencoder,
    )


codecs.register(_find)


_log = logging.getLogger(__name__)
_LOGS = ("mcp", "client")  # the library's, which quote what servers write
_START_SECONDS = 30.0  # a package runner may have to fetch the server first
_WAIT_SECONDS = 15.0  # that a turn waits for a start
_RETRY_SECONDS = 300.0  # after a failed start; a click on "Test" tries at once
_LIST_SECONDS = 10.0
_IDLE_SECONDS = 3600.0
_MOST_TOOLS = 200  # of one server that are considered
_SCHEMA = 8_000  # characters of the JSON of one tool
_DESCRIPTION = 1_000

State = Literal["stopped", "starting", "running", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTool:
    """A tool as its server lists it, within our bounds. ``id``: its name in requests; ``digest``: of all that it says
    of itself. ``changes``: it says that it changes something."""

    id: str
    server: str
    name: str
    description: str
    schema: Mapping[str, Any]
    changes: bool
    digest: str


class Servers:
    """The servers of one pet. The coroutines run on the engine's loop; the rest may be called on any thread."""

    def __init__(
        self,
        entries: ServerEntries,
        emit: Callable[[McpServersChanged], object],
        limits: Callable[[], McpSettings],
        keep_picture: Callable[[str, str, bytes], Attachment] | None,
    ) -> None:
        """``keep_picture``: stores a picture for a conversation, by a name. Raises AttachmentRefused, WriteFailed."""
        self.entries = entries
        self.limits = limits
        self.keep_picture = keep_picture
        self.allowed_here: dict[str, set[str]] = {}  # by conversation: digests of tools
        self._emit = emit
        self._running: dict[str, _Connection] = {}
        self.idle_seconds = _IDLE_SECONDS

    def state(self, name: str) -> tuple[State, PetError | None, int]:
        """Return what a server is doing, why it failed, and how many tools were left out as too large."""
        connection = self._running.get(name)
        return (connection.state, connection.problem, connection.too_large) if connection else ("stopped", None, 0)

    def listed(self, name: str) -> tuple[ServerTool, ...]:
        """Return the tools that a running server listed last."""
        connection = self._running.get(name)
        return connection.tools if connection else ()

    def announce(self) -> None:
        """Announce that something of the servers changed."""
        self._emit(McpServersChanged())

    async def start_all(self) -> tuple[tuple[ServerTool, ...], tuple[PetError, ...]]:
        """Start the servers that were ever allowed. Return the tools that the owner wants of running servers, as many
        as a request may have, and why others are not there. One that takes too long is there in a later turn."""
        allowed = [each for each in await asyncio.to_thread(self.entries.list) if each.allowed]
        entries = [each for each in allowed if not self._failed_lately(each)]
        starts = [asyncio.ensure_future(self.start(each)) for each in entries]
        for start in starts:
            start.add_done_callback(_quietly)
        if starts:
            await asyncio.wait(starts, timeout=_WAIT_SECONDS)
        tools: list[ServerTool] = []
        missing: list[PetError] = []
        for entry, start in zip(entries, starts, strict=True):
            problem = start.exception() if start.done() else McpFailed("starting", server=entry.name)
            if problem is None:
                tools += [each for each in start.result() if each.name not in entry.left_out]
            elif isinstance(problem, PetError):
                missing.append(problem)
        return tuple(_with_unique_ids(tools[:MOST])), tuple(missing)

    def _failed_lately(self, entry: ServerEntry) -> bool:
        """Whether it did not start in an earlier turn, which said so: not every message waits for it again."""
        connection = self._running.get(entry.name)
        if connection is None or connection.failed_at is None or connection.entry.digest != entry.digest:
            return False
        return asyncio.get_running_loop().time() - connection.failed_at < _RETRY_SECONDS

    async def start(self, entry: ServerEntry) -> tuple[ServerTool, ...]:
        """Start a server, or ask one that runs, and return its tools. One that ended meanwhile is started again; one
        in the middle of a call, which may do one thing at a time, is not asked. Raises McpFailed."""
        connection = self._running.get(entry.name)
        if connection is not None and connection.state == "running" and not connection.calling:
            connection.stale = True
            with suppress(McpFailed):
                return await self._listed(entry)
        return await self._listed(entry)

    async def call(self, entry: ServerEntry, tool: ServerTool, arguments: Mapping[str, Any], seconds: float) -> Any:
        """Return the result, of the library's type. Cancelling cancels it at the server. Raises McpFailed."""
        if tool.digest not in {each.digest for each in await self._listed(entry)}:
            raise McpFailed("changed", server=entry.name)
        connection = self._running.get(entry.name)
        if connection is None:  # the owner has ended it meanwhile
            raise McpFailed("died", server=entry.name)
        return await connection.call(tool, arguments, seconds)

    async def stop(self, name: str) -> None:
        """End a server; returns when its process is gone."""
        connection = self._running.pop(name, None)
        if connection is not None:
            await connection.close()
        self.announce()

    async def close(self) -> None:
        """End all servers."""
        connections, self._running = list(self._running.values()), {}
        await asyncio.gather(*(each.close() for each in connections))

    async def _listed(self, entry: ServerEntry) -> tuple[ServerTool, ...]:
        if not entry.is_allowed:
            raise McpFailed("not_allowed", server=entry.name)
        connection = self._running.get(entry.name)
        if connection is not None and (connection.over or connection.entry.digest != entry.digest):
            del self._running[entry.name]  # another turn may start it meanwhile
            await connection.close()
            connection = self._running.get(entry.name)
        if connection is None:
            connection = self._running[entry.name] = _Connection(entry, self.entries, self.announce)
        tools = await connection.list_tools()
        connection.end_after(self.idle_seconds)
        return tools


@dataclass(eq=False)
class _Connection:
    """One server from its start to its end. On the engine's loop."""

    entry: ServerEntry
    entries: ServerEntries
    changed: Callable[[], object]
    state: State = "starting"
    problem: PetError | None = None
    tools: tuple[ServerTool, ...] = ()
    too_large: int = 0
    asked: bool = False  # for sampling or input, since the last call began
    stale: bool = True
    calling: int = 0  # calls that go on
    failed_at: float | None = None  # the loop's time
    _client: Client | None = None
    _end: asyncio.Event = field(default_factory=asyncio.Event)
    _timer: asyncio.TimerHandle | None = None
    _budget: Any = None

    def __post_init__(self) -> None:
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ready.add_done_callback(_quietly)
        self._task = asyncio.ensure_future(self._live())

    @property
    def over(self) -> bool:
        return self._task.done() or self._end.is_set()

    def end_after(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._end.set)

    async def close(self) -> None:
        self._end.set()
        if self._timer is not None:
            self._timer.cancel()
        await asyncio.wait({self._task})

    async def list_tools(self) -> tuple[ServerTool, ...]:
        """Return the tools, fetched again if the server said that they changed. Raises McpFailed."""
        await asyncio.shield(self._ready)
        if self.stale:
            self.stale = False
            client = self._client
            assert client is not None
            self.tools = await self._asked(self._list(client), _LIST_SECONDS, "slow")
            self.changed()
        return self.tools

    async def call(self, tool: ServerTool, arguments: Mapping[str, Any], seconds: float) -> Any:
        client = self._client
        if client is None or self.over:
            raise McpFailed("died", server=self.entry.name)
        self.asked = False
        self.calling += 1
        try:
            result = await self._asked(client.call_tool(tool.name, dict(arguments)), seconds, "call_slow")
        finally:
            self.calling -= 1
        if self.asked and result.is_error:
            raise McpFailed("asks", **self._about())
        return result

    # --- inside -----------------------------------------------------------------------------------

    async def _asked(self, request: Any, seconds: float, slow: str) -> Any:
        """Return the answer to a request. Raises McpFailed."""
        from anyio import BrokenResourceError, ClosedResourceError
        from mcp.shared.exceptions import MCPError

        if self._budget is not None:
            self._budget.renew()
        asking, over = asyncio.ensure_future(request), asyncio.ensure_future(self._end.wait())
        try:
            await asyncio.wait({asking, over, self._task}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise self._ended(slow, seconds)
            return asking.result()
        except McpFailed:
            raise
        except MCPError as error:
            if self.asked:
                raise McpFailed("asks", **self._about()) from None
            if self.over or error.code == _closed_code():
                raise self._ended("died") from None
            raise McpFailed("call_failed", reason=_clean(error.message, 300), **self._about()) from None
        except Exception as error:  # noqa: BLE001  whatever the library raises of a server, the turn goes on
            _log.info("an MCP server answered with %s", type(error).__name__)
            closed = isinstance(error, ClosedResourceError | BrokenResourceError)
            raise self._ended("died") if closed else McpFailed("answer", **self._about()) from None
        finally:
            over.cancel()
            if not asking.done():
                asking.cancel()
                await asyncio.wait({asking})

    def _about(self, seconds: float = 0) -> dict[str, str | float]:
        return {"server": self.entry.name, "seconds": round(seconds)}

    def _ended(self, problem: str, seconds: float = 0) -> McpFailed:
        """End the server, which answers no more; return why, by its own end if that came first."""
        if self._budget is not None and self._budget.spent:
            problem = "flood"
        elif self.over:
            problem = "died"
        self._end.set()
        return McpFailed(problem, **self._about(seconds))

    async def _list(self, client: Client) -> tuple[ServerTool, ...]:
        tools: list[mcp_types.Tool] = []
        cursor: str | None = None
        while len(tools) < _MOST_TOOLS:
            page = await client.list_tools(cursor=cursor, cache_mode="refresh")
            tools += page.tools
            cursor = page.next_cursor
            if not cursor or not page.tools:
                break
        listed = [_server_tool(self.entry.name, each) for each in tools[:_MOST_TOOLS]]
        kept = {each.name: each for each in listed if each is not None}  # of the same name the last
        self.too_large = sum(each is None for each in listed)
        return tuple(kept.values())

    async def _live(self) -> None:
        """Connect, and stay until the end: a connection is closed by the task that opened it."""
        try:
            await asyncio.to_thread(import_module, "mcp.client.client")
            for name in _LOGS:
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
            values = await asyncio.to_thread(self.entries.values, self.entry)
            async with asyncio.timeout(_START_SECONDS) as starting, self._connected(values) as client:
                starting.reschedule(None)
                self._client, self.state = client, "running"
                self._ready.set_result(None)
                self.changed()
                await self._end.wait()
            self.state = "stopped"
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):
                self._refuse(McpFailed("died", **self._about()))
                raise
            self._refuse(self._why(error))
        finally:
            self._client = None
            self._end.set()
            self.changed()

    def _refuse(self, problem: PetError) -> None:
        self.state, self.problem = "failed", problem
        self.failed_at = asyncio.get_running_loop().time()
        if not self._ready.done():
            self._ready.set_exception(problem)

    def _why(self, error: BaseException) -> PetError:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, PetError):
            return error
        _log.info("an MCP server failed: %s", type(error).__name__)
        about = self._about(_START_SECONDS)
        if isinstance(error, FileNotFoundError | PermissionError | NotADirectoryError):
            return McpFailed("no_program", program=self.entry.command[0] if self.entry.command else "", **about)
        if isinstance(error, TimeoutError):
            return McpFailed("slow", **about)
        if self._budget is not None and self._budget.spent:
            return McpFailed("flood", **about)
        return McpFailed("unreachable" if self.entry.url else "not_started", **about)

    @asynccontextmanager
    async def _connected(self, values: Mapping[str, str]) -> AsyncIterator[Client]:
        from mcp import Client
        from mcp_types import Implementation

        from pet import __version__

        info = Implementation(name="soulpet", version=__version__)
        async with self._transport(values) as transport:
            client = Client(transport, client_info=info, message_handler=self._on_message, cache=None)
            async with client:
                self._note_asking(client.session)
                yield client

    def _note_asking(self, session: ClientSession) -> None:
        """Note that the server asks for a model's reply or the owner's input, which the session refuses."""
        from mcp_types import CreateMessageRequest, ElicitRequest

        refuse = session.dispatch_input_request

        async def noted(context: Any, request: Any) -> Any:
            self.asked = self.asked or isinstance(request, CreateMessageRequest | ElicitRequest)
            return await refuse(context, request)

        vars(session)["dispatch_input_request"] = noted

    @asynccontextmanager
    async def _transport(self, values: Mapping[str, str]) -> AsyncIterator[Any]:
        if self.entry.url:
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            from pet.providers.model_server import ModelServer

            limits = httpx2.Timeout(30.0, read=600.0)
            transport = ModelServer(self.entry.url, None, None).make_transport()
            async with httpx2.AsyncClient(headers=dict(values), timeout=limits, transport=transport) as http:
                yield streamable_http_client(self.entry.url, http_client=http)
            return
        from mcp import StdioServerParameters
        from mcp.client.stdio import stdio_client

        self._budget = Budget(self._end.set)
        BUDGET.set(self._budget)
        program, *rest = self.entry.command
        parameters = StdioServerParameters(
            command=program,
            args=rest,
            env={**self.entry.env, **values},
            cwd=self.entry.folder or None,
            encoding=_BOUNDED,
        )
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123, ASYNC230  what it says there may hold keys
            yield stdio_client(parameters, errlog=nowhere)

    async def _on_message(self, message: object) -> None:
        if type(message).__name__ == "ToolListChangedNotification":
            self.stale = True


def _server_tool(server: str, tool: mcp_types.Tool) -> ServerTool | None:
    """Return the tool within our bounds; None for one that is too large, or has no usable schema."""
    schema = tool.input_schema
    if not isinstance(schema, dict) or schema.get("type", "object") != "object" or not tool.name:
        return None
    try:
        text = json.dumps(schema, ensure_ascii=False, sort_keys=True)
        plain = read_json_object(without_tag_characters(text))
    except (TypeError, ValueError, RecursionError):
        return None
    if len(text) > _SCHEMA or len(tool.name) > 200:
        return None
    notes = tool.annotations
    changes = notes is not None and (notes.read_only_hint is False or notes.destructive_hint is True)
    whole = json.dumps([server, tool.name, tool.description, text, changes])
    return ServerTool(
        id=f"{_slug(server)[:20]}__{_slug(tool.name)}"[:60],
        server=server,
        name=tool.name,
        description=_clean(tool.description or "", _DESCRIPTION),
        schema=plain,
        changes=changes,
        digest=hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest(),
    )


def _with_unique_ids(tools: list[ServerTool]) -> list[ServerTool]:
    seen: dict[str, int] = {}
    unique: list[ServerTool] = []
    for each in tools:
        count = seen[each.id] = seen.get(each.id, 0) + 1
        unique.append(each if count == 1 else replace(each, id=f"{each.id}_{count}"))
    return unique


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_") or "x"


def _clean(text: str, limit: int) -> str:
    return one_line(without_tag_characters(text), limit)


def _closed_code() -> int:
    from mcp_types import CONNECTION_CLOSED

    return CONNECTION_CLOSED


def _quietly(future: asyncio.Future[Any]) -> None:
    """Take the exception of a task that is waited for no more."""
    with suppress(asyncio.CancelledError):
        future.exception()


_OF_PETS: WeakKeyDictionary[Pet, Servers] = WeakKeyDictionary()


def servers_of(app: Pet) -> Servers:
    """Return the servers of a pet, which are ended with it."""
    servers = _OF_PETS.get(app)
    if servers is None:
        loop = app.loop
        entries = entries_of(app.home, app.keys)

        def keep(conversation: str, name: str, content: bytes) -> Attachment:
            temporary = app.conversations.open(conversation).gate.temporary
            return app.attachments.add(name, content, temporary=conversation if temporary else None)

        servers = _OF_PETS[app] = Servers(
            entries, app.emitter.emit, lambda: app.effective.current().of(McpSettings), keep
        )
        app.closing.callback(lambda: loop.finish(servers.close()))
    return servers
