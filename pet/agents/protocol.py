"""An MCP server over two byte streams, one JSON message a line.

Speaks the versions with an ``initialize`` handshake and the stateless one, whose requests carry version and client in
``_meta``. The messages are checked by the official SDK's types; its server is not used, since it takes most of the
time allowed for a start (docs/decisions/0048). Nothing but protocol may be written to the output.

A message that is no JSON or too long is answered by an error and costs no more than its line; a call that was
cancelled has no answer; the end of the input ends the server.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from mcp_types import (
    CLIENT_INFO_META_KEY,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
    CallToolRequestParams,
    CallToolResult,
    DiscoverResult,
    Implementation,
    InitializeRequestParams,
    InitializeResult,
    ListToolsResult,
    ServerCapabilities,
    TextContent,
    Tool,
    ToolAnnotations,
    ToolsCapability,
)
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    KNOWN_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)
from pydantic import BaseModel, ValidationError

from pet.model import ToolSpec
from pet.untrusted.parsers import read_json

_LONGEST_LINE = 1 << 20
"""Bytes of one message; the longest one that can be answered is far shorter."""
_MOST_PENDING = 16
_LAST_ANSWERS = 2.0
"""Seconds that a running call gets when the input has ended; its thread ends with the process."""
_MODERN_ONLY = ("resultType", "ttlMs", "cacheScope")
_WRITES = "remember"

Answer = Callable[[str, str, str], tuple[str, bool]]
"""Calls a tool: the client's name, the tool, its arguments as JSON. Returns the text, and whether it is an error."""


class _Fault(Exception):
    """An error reply."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.reply = {"code": code, "message": message} | ({} if data is None else {"data": data})


@dataclass(slots=True, kw_only=True)
class McpServer:
    """``serve`` answers until the input ends. ``specs``: the tools; ``instructions``: what clients tell their model
    about them."""

    source: BinaryIO
    sink: BinaryIO
    version: str
    specs: Sequence[ToolSpec]
    instructions: str
    answer: Answer
    _client: str = field(init=False, default="")
    _pending: dict[str | int, threading.Event] = field(init=False, default_factory=dict)  # set: cancelled
    _threads: set[threading.Thread] = field(init=False, default_factory=set)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    _closed: bool = field(init=False, default=False)

    def serve(self) -> None:
        while (line := self.source.readline(_LONGEST_LINE)) and not self._closed:
            if len(line) >= _LONGEST_LINE and not line.endswith(b"\n"):
                self._skip_line()
                self._send_error(None, _Fault(PARSE_ERROR, "message too long"))
            elif line.strip():
                self._receive(line)
        with self._lock:
            running = list(self._threads)
        for thread in running:
            thread.join(_LAST_ANSWERS)

    def _skip_line(self) -> None:
        while (more := self.source.readline(_LONGEST_LINE)) and not more.endswith(b"\n"):
            pass

    def _receive(self, line: bytes) -> None:
        try:
            message = read_json(line)
        except ValueError:
            self._send_error(None, _Fault(PARSE_ERROR, "not JSON"))
            return
        id_ = message.get("id") if isinstance(message, dict) else None
        valid_id = isinstance(id_, str | int) and not isinstance(id_, bool)
        method = message.get("method") if isinstance(message, dict) else None
        params = message.get("params", {}) if isinstance(message, dict) else None
        if not isinstance(method, str) or not isinstance(params, dict):
            if not (isinstance(message, dict) and ("result" in message or "error" in message)):  # an unasked reply
                self._send_error(id_ if valid_id else None, _Fault(INVALID_REQUEST, "not a request"))
            return
        if "id" not in message:
            self._notified(method, params)
        elif not valid_id:
            self._send_error(None, _Fault(INVALID_REQUEST, "bad id"))
        else:
            assert isinstance(id_, str | int)
            self._requested(id_, method, params)

    def _notified(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "notifications/cancelled":
            id_ = params.get("requestId")
            with self._lock:
                if isinstance(id_, str | int) and id_ in self._pending:
                    self._pending[id_].set()

    def _requested(self, id_: str | int, method: str, params: dict[str, Any]) -> None:
        try:
            modern = self._is_modern(params)
            if method != "tools/call":
                self._send_result(id_, self._simple(method, params), modern)
                return
            call = _checked(CallToolRequestParams, params)
            client = self._client_of(params)
            cancelled = threading.Event()
            with self._lock:
                if id_ in self._pending or len(self._pending) >= _MOST_PENDING:
                    raise _Fault(INVALID_REQUEST, "too many calls, or this id is in use")
                self._pending[id_] = cancelled
                thread = threading.Thread(target=self._call, args=(id_, client, call, modern, cancelled), daemon=True)
                self._threads.add(thread)
        except _Fault as fault:
            self._send_error(id_, fault)
            return
        thread.start()

    def _call(
        self, id_: str | int, client: str, call: CallToolRequestParams, modern: bool, cancelled: threading.Event
    ) -> None:
        try:
            if cancelled.is_set():
                return
            text, error = self.answer(client, call.name, json.dumps(call.arguments or {}))
            if not cancelled.is_set():
                content = [TextContent(type="text", text=text)]
                state = _state_in(text) if error else None
                result = CallToolResult(content=list(content), is_error=error, structured_content=state)
                self._send_result(id_, result, modern)
        except Exception:  # noqa: BLE001  the thread's boundary: the client needs an answer
            self._send_error(id_, _Fault(INTERNAL_ERROR, "the pet failed to answer"))
        finally:
            with self._lock:
                self._pending.pop(id_, None)
                self._threads.discard(threading.current_thread())

    def _simple(self, method: str, params: dict[str, Any]) -> BaseModel | None:
        capabilities = ServerCapabilities(tools=ToolsCapability())
        match method:
            case "initialize":
                given = _checked(InitializeRequestParams, params)
                self._client = given.client_info.name
                known = given.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
                return InitializeResult(
                    protocol_version=given.protocol_version if known else LATEST_HANDSHAKE_VERSION,
                    capabilities=capabilities,
                    server_info=self._about(),
                    instructions=self.instructions,
                )
            case "server/discover":
                versions = list(KNOWN_PROTOCOL_VERSIONS)
                return DiscoverResult(
                    supported_versions=versions, capabilities=capabilities, instructions=self.instructions
                )
            case "ping":
                return None
            case "tools/list":
                return ListToolsResult(tools=[_tool(spec) for spec in self.specs])
            case _:
                raise _Fault(METHOD_NOT_FOUND, "no such method")

    def _about(self) -> Implementation:
        return Implementation(name="soulpet", version=self.version)

    @staticmethod
    def _is_modern(params: Mapping[str, Any]) -> bool:
        """Whether the request is stateless. Raises _Fault for a version that is not spoken."""
        meta = params.get("_meta")
        version = meta.get(PROTOCOL_VERSION_META_KEY) if isinstance(meta, dict) else None
        if version is None:
            return False
        if version not in MODERN_PROTOCOL_VERSIONS:
            supported = {"supported": list(KNOWN_PROTOCOL_VERSIONS), "requested": str(version)[:40]}
            raise _Fault(UNSUPPORTED_PROTOCOL_VERSION, "unsupported protocol version", supported)
        return True

    def _client_of(self, params: Mapping[str, Any]) -> str:
        meta = params.get("_meta")
        about = meta.get(CLIENT_INFO_META_KEY) if isinstance(meta, dict) else None
        name = about.get("name") if isinstance(about, dict) else None
        return name if isinstance(name, str) else self._client

    def _send_result(self, id_: str | int, result: BaseModel | None, modern: bool) -> None:
        data = {} if result is None else result.model_dump(mode="json", by_alias=True, exclude_none=True)
        if modern:
            about = self._about().model_dump(mode="json", by_alias=True, exclude_none=True)
            data = {"resultType": "complete"} | data
            data["_meta"] = {**data.get("_meta", {}), SERVER_INFO_META_KEY: about}
        else:
            data = {name: value for name, value in data.items() if name not in _MODERN_ONLY}
        self._send({"jsonrpc": "2.0", "id": id_, "result": data})

    def _send_error(self, id_: str | int | None, fault: _Fault) -> None:
        self._send({"jsonrpc": "2.0", "id": id_, "error": fault.reply})

    def _send(self, message: Mapping[str, object]) -> None:
        line = json.dumps(message, ensure_ascii=True).encode() + b"\n"
        with self._lock:
            if self._closed:
                return
            try:
                self.sink.write(line)
                self.sink.flush()
            except (OSError, ValueError):  # the client closed its end
                self._closed = True


def _state_in(refusal: str) -> dict[str, Any] | None:
    """Return the object that a refusal is, such as what to wait for; None for a sentence."""
    try:
        state = read_json(refusal)
    except ValueError:
        return None
    return state if isinstance(state, dict) else None


def _checked(kind: type[Any], params: Mapping[str, Any]) -> Any:
    try:
        return kind.model_validate(params)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise _Fault(INVALID_PARAMS, f"invalid: {place}"[:120]) from None


def _tool(spec: ToolSpec) -> Tool:
    writes = spec.name == _WRITES
    return Tool(
        name=spec.name,
        description=spec.description,
        input_schema=dict(spec.schema),
        annotations=ToolAnnotations(read_only_hint=not writes, destructive_hint=False, open_world_hint=False),
    )
