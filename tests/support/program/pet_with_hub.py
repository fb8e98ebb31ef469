"""The real program with a catalogue of one model, from a hub on loopback.

    python -m tests.support.program.pet_with_hub ENTRY --home FOLDER

``ENTRY``: the fields of a ``CatalogueEntry`` as JSON; HF_ENDPOINT names the hub. ``FileHub`` serves the file.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

from pet.extras.local_models.catalogue import BY_HASH, BY_ID, CatalogueEntry
from pet.net.fetch import FetchPolicy

_PIECE = 1 << 20


class FileHub:
    """Serves one file under any path, at most ``speed`` bytes a second."""

    def __init__(self, file: Path, speed: int) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").split("-")[0])
                size = file.stat().st_size
                self.send_response(206 if start else 200)
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
                self.send_header("Content-Length", str(size - start))
                self.end_headers()
                with file.open("rb") as source:
                    source.seek(start)
                    while piece := source.read(_PIECE):
                        self.wfile.write(piece)
                        time.sleep(len(piece) / speed)

            def log_message(self, *_args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> FileHub:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, what: BaseException | None, where: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def entry_of_file(file: Path, *, id_: str, name: str, maker: str, memory: int) -> CatalogueEntry:
    with file.open("rb") as source:
        digest = hashlib.file_digest(source, "sha256").hexdigest()
    return CatalogueEntry(
        id=id_,
        name=name,
        maker=maker,
        repository=f"{maker.split()[0]}/{file.stem}",
        revision="0" * 40,
        file=file.name,
        size=file.stat().st_size,
        sha256=digest,
        memory=memory,
    )


def command(entry: CatalogueEntry) -> tuple[str, ...]:
    return sys.executable, "-m", __name__, json.dumps(asdict(entry))


def main() -> None:
    fields = json.loads(sys.argv.pop(1))
    entry = CatalogueEntry(**fields | {"languages": tuple(fields["languages"])})
    BY_ID[entry.id] = BY_HASH[entry.sha256] = entry

    from pet.app import Pet
    from pet.extras.local_models import library
    from pet.extras.local_models.runtime import OwnLocalModels

    vars(library)["recommended"] = lambda _fits: entry.id

    assert Pet.__init__.__kwdefaults__ is not None
    Pet.__init__.__kwdefaults__.update(
        local_models=lambda pet: OwnLocalModels.of_pet(
            pet, reach=lambda: FetchPolicy(loopback=True), entries=(entry,)
        )
    )
    from pet.__main__ import main as run

    run()


if __name__ == "__main__":
    main()
