"""A Messages endpoint on loopback that sends events at a given rate, each with the time it was sent at."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


class PacedServer:
    """A context manager. The words of each reply are microseconds since ``started`` (seconds of the wall clock)."""

    def __init__(self, *, per_second: int, events: int) -> None:
        self.per_second = per_second
        self.events = events
        self.started = time.time()
        self.sent: list[int] = []  # the stamps of the last reply
        self.done = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                with contextlib.suppress(OSError):  # the pet may be gone before the end
                    for part in server._reply():
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    self.wfile.write(b"0\r\n\r\n")

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
                """Says nothing: the table is what is read."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> PacedServer:
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _reply(self) -> Iterator[bytes]:
        usage = {"input_tokens": 10, "output_tokens": 1}
        message: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "paced"}
        message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
        yield _event({"type": "message_start", "message": message})
        yield _event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        begun = time.monotonic()
        for number in range(self.events):
            wait = begun + number / self.per_second - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            end = "\n\n" if number % 40 == 39 else " "
            self.sent.append(round((time.time() - self.started) * 1e6))
            delta = {"type": "text_delta", "text": f"{self.sent[-1]}{end}"}
            yield _event({"type": "content_block_delta", "index": 0, "delta": delta})
        self.done.set()
        yield _event({"type": "content_block_stop", "index": 0})
        yield _event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}})
        yield _event({"type": "message_stop"})


def _event(data: Mapping[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()
