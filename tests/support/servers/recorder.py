"""A forwarder on loopback that records the requests to a model server."""

from __future__ import annotations

import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_WAIT_SECONDS = 600.0


class Recorder:
    """``bodies``: each request as text, with characters unescaped."""

    def __init__(self, upstream: str) -> None:
        self.bodies: list[str] = []
        parts = urlsplit(upstream)
        assert parts.hostname is not None
        assert parts.port is not None
        self._to = (parts.hostname, parts.port)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer._forward(self)

            def do_GET(self) -> None:
                outer._forward(self)

            def log_message(self, *_args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _forward(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("content-length", 0)))
        if body:
            self.bodies.append(json.dumps(json.loads(body), ensure_ascii=False))
        upstream = http.client.HTTPConnection(*self._to, timeout=_WAIT_SECONDS)
        headers = {
            name: value for name, value in request.headers.items() if name.lower() not in ("host", "connection")
        }
        upstream.request(request.command, request.path, body=body or None, headers=headers)
        reply = upstream.getresponse()
        request.send_response(reply.status)
        request.send_header("content-type", reply.getheader("content-type", "application/json"))
        request.send_header("connection", "close")
        request.end_headers()
        while piece := reply.read1(65536):
            request.wfile.write(piece)
            request.wfile.flush()
        upstream.close()
        request.close_connection = True
