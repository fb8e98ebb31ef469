"""A web server on loopback with answers set by path."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


class Server:
    """Answers by path. ``asked``: paths and host names of the requests; ``headers``: of all requests."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.asked.append((self.path, self.headers["host"]))
                owner.headers.append({name.lower(): value for name, value in self.headers.items()})
                owner.answers.get(self.path, gone)(self)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if context:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


def gone(request: BaseHTTPRequestHandler) -> None:
    request.send_error(404)


def sends(data: bytes, *, size: int | None = None) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        if size != -1:
            request.send_header("Content-Length", str(len(data) if size is None else size))
        request.end_headers()
        request.wfile.write(data)

    return answer


def leads_to(location: str) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", location)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return answer
