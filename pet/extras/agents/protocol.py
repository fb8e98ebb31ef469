"""An MCP server over two byte streams, one JSON message or batch a line.

Speaks the versions with an ``initialize`` handshake and the stateless one, whose requests carry version and client in
``_meta``. Neither the official SDK's server nor its types are used: making the types takes twice the time in which
some clients expect the first answer (docs/decisions/0048). Nothing but protocol may be written to the output.

A message that is no JSON or too long is answered by an error and costs no more than its line; a call that was
cancelled has no answer; calls beyond ``_MOST_RUNNING`` wait unread; the end of the input ends the server.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeVar

from pet.untrusted.parsers import read_json

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
"""https://www.jsonrpc.org/specification"""
UNSUPPORTED_PROTOCOL_VERSION = -32022
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
"""The protocol's schema.ts of 2026-07-28; a test compares these with the SDK's."""

_LONGEST_LINE = 1 << 20
"""Bytes of one message or batch; the longest one that can be answered is far shorter."""
_MOST_RUNNING = 16
_LAST_ANSWERS = 2.0
"""Seconds that a running call gets when the input has ended; its thread ends with the process."""

_T = TypeVar("_T")
_Object = dict[str, Any]
_Reply = Callable[[_Object | None], None]
"""Takes the one answer to a message; None: it has none."""
Answer = Callable[[str, str, str], tuple[str, bool]]
"""Calls a tool: the client's name, the tool, its arguments as JSON. Returns the text, and whether it is an error."""


class _Fault(Exception):
    """An error reply."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.reply = {"code": code, "message": message} | ({} if data is None else {"data": data})


@dataclass(slots=True, kw_only=True)
class McpServer:
    """``serve`` answers until the input ends. ``tools``: as they are listed; ``instructions``: what clients tell
    their model about them."""

    source: BinaryIO
    sink: BinaryIO
    version: str
    tools: Sequence[_Object]
    instructions: str
    answer: Answer
    _client: str | None = field(init=False, default=None)  # None: no handshake yet
    _pending: dict[str | int, threading.Event] = field(init=False, default_factory=dict)  # set: cancelled
    _threads: set[threading.Thread] = field(init=False, default_factory=set)
    _room: threading.Semaphore = field(init=False, default_factory=lambda: threading.Semaphore(_MOST_RUNNING))
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    _closed: bool = field(init=False, default=False)

    def serve(self) -> None:
        while (line := self.source.readline(_LONGEST_LINE)) and not self._closed:
            if len(line) >= _LONGEST_LINE and not line.endswith(b"\n"):
                self._skip_line()
                self._send(_error(None, _Fault(PARSE_ERROR, "message too long")))
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
            self._send(_error(None, _Fault(PARSE_ERROR, "not JSON")))
            return
        if not isinstance(message, list) or not message:
            self._handle(message, lambda answer: None if answer is None else self._send(answer))
            return
        batch = _Batch(len(message), self._send)
        for each in message:
            self._handle(each, batch.add)

    def _handle(self, message: object, reply: _Reply) -> None:
        id_ = message.get("id") if isinstance(message, dict) else None
        valid_id = isinstance(id_, str | int) and not isinstance(id_, bool)
        method = message.get("method") if isinstance(message, dict) else None
        params = message.get("params", {}) if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(method, str) or not isinstance(params, dict):
            unasked = isinstance(message, dict) and ("result" in message or "error" in message)
            invalid = _Fault(INVALID_REQUEST, "not a request")
            reply(None if unasked else _error(id_ if valid_id else None, invalid))
        elif "id" not in message:
            self._notified(method, params)
            reply(None)
        elif not valid_id:
            reply(_error(None, _Fault(INVALID_REQUEST, "bad id")))
        else:
            assert isinstance(id_, str | int)
            try:
                self._requested(id_, method, params, reply)
            except _Fault as fault:
                reply(_error(id_, fault))

    def _notified(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "notifications/cancelled":
            id_ = params.get("requestId")
            with self._lock:
                if isinstance(id_, str | int) and id_ in self._pending:
                    self._pending[id_].set()

    def _requested(self, id_: str | int, method: str, params: _Object, reply: _Reply) -> None:
        """Raises _Fault before ``reply`` was called."""
        modern = _is_stateless(params)
        if method != "tools/call":
            reply(self._result(id_, self._simple(method, params, modern), modern))
            return
        tool = _field(params, "name", str)
        arguments = {} if params.get("arguments") is None else _field(params, "arguments", dict)
        client = self._client_of(params)
        cancelled = threading.Event()
        with self._lock:
            if id_ in self._pending:
                raise _Fault(INVALID_REQUEST, "this id is in use")
            self._pending[id_] = cancelled
        self._room.acquire()

        def call() -> None:
            answer = None
            try:
                if not cancelled.is_set():
                    text, error = self.answer(client, tool, json.dumps(arguments))
                    answer = self._result(id_, _tool_result(text, error), modern)
            except Exception:  # noqa: BLE001  the thread's boundary: the client needs an answer
                answer = _error(id_, _Fault(INTERNAL_ERROR, "the pet failed to answer"))
            finally:
                reply(None if cancelled.is_set() else answer)
                self._room.release()
                with self._lock:
                    self._pending.pop(id_, None)
                    self._threads.discard(threading.current_thread())

        thread = threading.Thread(target=call, daemon=True)
        with self._lock:
            self._threads.add(thread)
        thread.start()

    def _simple(self, method: str, params: _Object, modern: bool) -> _Object:
        capabilities: _Object = {"tools": {}}
        match method:
            case "initialize":
                asked = _field(params, "protocolVersion", str)
                _field(params, "capabilities", dict)
                self._client = _field(_field(params, "clientInfo", dict), "name", str, "clientInfo.name")
                return {
                    "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
                    "capabilities": capabilities,
                    "serverInfo": self._about(),
                    "instructions": self.instructions,
                }
            case "server/discover":
                spoken = [*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS]
                about = {"supportedVersions": spoken, "capabilities": capabilities, "instructions": self.instructions}
                return about | (_UNCACHED if modern else {})
            case "ping":
                return {}
            case "tools/list":
                return {"tools": list(self.tools)} | (_UNCACHED if modern else {})
            case _:
                raise _Fault(METHOD_NOT_FOUND, "no such method")

    def _about(self) -> _Object:
        return {"name": "soulpet", "version": self.version}

    def _client_of(self, params: Mapping[str, Any]) -> str:
        """Return the name of the caller. Raises _Fault without one: the owner's question needs a name."""
        meta = params.get("_meta")
        about = meta.get(CLIENT_KEY) if isinstance(meta, dict) else None
        name = about.get("name") if isinstance(about, dict) else self._client
        if not isinstance(name, str):
            raise _Fault(INVALID_REQUEST, "initialize first")
        return name

    def _result(self, id_: str | int, result: _Object, modern: bool) -> _Object:
        if modern:
            result = {"resultType": "complete", **result, "_meta": {SERVER_KEY: self._about()}}
        return {"jsonrpc": "2.0", "id": id_, "result": result}

    def _send(self, message: object) -> None:
        line = json.dumps(message, ensure_ascii=True).encode() + b"\n"
        with self._lock:
            if self._closed:
                return
            try:
                self.sink.write(line)
                self.sink.flush()
            except (OSError, ValueError):  # the client closed its end
                self._closed = True


_UNCACHED: _Object = {"ttlMs": 0, "cacheScope": "private"}


class _Batch:
    """Collects the answers to a batch, and sends them as one when the last is there; nothing for an empty batch."""

    def __init__(self, count: int, send: Callable[[object], None]) -> None:
        self._left, self._send = count, send
        self._answers: list[_Object] = []
        self._lock = threading.Lock()

    def add(self, answer: _Object | None) -> None:
        with self._lock:
            self._left -= 1
            if answer is not None:
                self._answers.append(answer)
            done = self._left == 0
        if done and self._answers:
            self._send(self._answers)


def _error(id_: str | int | None, fault: _Fault) -> _Object:
    return {"jsonrpc": "2.0", "id": id_, "error": fault.reply}


def _is_stateless(params: Mapping[str, Any]) -> bool:
    """Whether a request carries its version. Raises _Fault for one that is not spoken."""
    meta = params.get("_meta")
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    if version is None:
        return False
    if version not in STATELESS_VERSIONS:
        supported = {"supported": [*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS], "requested": str(version)[:40]}
        raise _Fault(UNSUPPORTED_PROTOCOL_VERSION, "unsupported protocol version", supported)
    return True


def _field(params: Mapping[str, Any], name: str, kind: type[_T], place: str = "") -> _T:
    value = params.get(name)
    if not isinstance(value, kind):
        raise _Fault(INVALID_PARAMS, f"invalid: {place or name}")
    return value


def _tool_result(text: str, error: bool) -> _Object:
    """Return a call's result; a text that is an object, such as what was found or what to wait for, as one too."""
    try:
        state = read_json(text)
    except ValueError:
        state = None
    structured = {"structuredContent": state} if isinstance(state, dict) else {}
    return {"content": [{"type": "text", "text": text}], "isError": error, **structured}
