"""A model hub on loopback, with the faults of real ones."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Literal

from pet.extras.local_models.catalogue import CatalogueEntry
from pet.net.fetch import FetchPolicy
from tests.support.servers.web_server import Answer, Server

Fault = Literal[
    "none",
    "cut",
    "no_ranges",
    "wrong_byte",
    "wrong_size",
    "html",
    "wrong_range",
    "gone",
    "416",
    "endless",
    "loop",
    "trickle",
]


def entry_of(data: bytes, *, file: str = "small.gguf") -> CatalogueEntry:
    return CatalogueEntry(
        id="small",
        name="Small",
        maker="Nobody",
        repository="nobody/small",
        revision="0" * 40,
        file=file,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        memory=1,
    )


class ModelHub:
    """Serves ``data`` at ``/model`` of each fault's own path: ``url("cut")``."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.server = Server()
        self.reach = FetchPolicy(loopback=True)
        faults: tuple[Fault, ...] = (
            "none",
            "cut",
            "no_ranges",
            "wrong_byte",
            "wrong_size",
            "html",
            "wrong_range",
            "gone",
            "416",
            "endless",
            "loop",
            "trickle",
        )
        for fault in faults:
            self.server.answers[f"/{fault}"] = self._answer(fault)

    def url(self, fault: Fault = "none") -> str:
        return self.server.at(f"/{fault}")

    def ranges(self) -> list[str]:
        """Range header of each request; "" without one."""
        return [headers.get("range", "") for headers in self.server.headers]

    def close(self) -> None:
        self.server.close()

    def _answer(self, fault: Fault) -> Answer:
        def answer(request: BaseHTTPRequestHandler) -> None:
            asked = re.fullmatch(r"bytes=(\d+)-", request.headers.get("range", ""))
            start = int(asked[1]) if asked and fault != "no_ranges" else 0
            data = self.data[start:]
            if fault == "gone":
                request.send_error(404)
                return
            if fault == "loop":
                request.send_response(302)
                request.send_header("Location", self.url("loop"))
                request.send_header("Content-Length", "0")
                request.end_headers()
                return
            if fault == "endless":
                request.send_response(200)
                request.send_header("Content-Type", "application/octet-stream")
                request.send_header("Connection", "close")
                request.end_headers()
                with suppress(OSError):
                    for _ in range(64 << 10):
                        request.wfile.write(bytes(64 << 10))
                request.close_connection = True
                return
            if fault == "416" and start:
                request.send_response(416)
                request.send_header("Content-Length", "0")
                request.end_headers()
                return
            if fault == "html":
                data = b"<html>Please log in</html>"
                start = 0
            if fault == "wrong_byte":
                data = bytes([data[0] ^ 1]) + data[1:]
            request.send_response(206 if start else 200)
            kind = "text/html; charset=utf-8" if fault == "html" else "application/octet-stream"
            request.send_header("Content-Type", kind)
            shift = 1 if fault == "wrong_range" else 0
            if start:
                request.send_header("Content-Range", f"bytes {start + shift}-{len(self.data) - 1}/{len(self.data)}")
            request.send_header("Content-Length", str(len(data) + (5 if fault == "wrong_size" else 0)))
            request.end_headers()
            request.wfile.write(data[: {"cut": len(data) // 2, "trickle": 10}.get(fault, len(data))])

        return answer
