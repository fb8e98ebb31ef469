"""Downloads from a hub on the loopback: cut, resumed, corrupt, full disk, redirects, wrong size, HTML."""

from __future__ import annotations

import errno
import os
import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Literal

import pytest
from filelock import FileLock

from pet.errors import LocalModelRefused
from pet.extras.local_models.catalogue import CatalogueEntry
from pet.extras.local_models.fetch import Download, DownloadProgress, remove_model
from pet.extras.local_models.model_store import is_here, part_of, part_size
from tests.support.servers.model_hub import ModelHub, entry_of
from tests.support.servers.web_server import leads_to

DATA = random.Random(7).randbytes(300_000)


@pytest.fixture
def hub() -> Iterator[ModelHub]:
    hub = ModelHub(DATA)
    yield hub
    hub.close()


@pytest.fixture
def entry() -> CatalogueEntry:
    return entry_of(DATA)


def download(entry: CatalogueEntry, folder: Path, hub: ModelHub, *sources: str, **options: object) -> Download:
    return Download(entry, folder, sources, reach=hub.reach, **options)  # type: ignore[arg-type]


def test_whole_file_is_checked_and_gets_its_name(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    told: list[DownloadProgress] = []
    final = download(entry, tmp_path / "minds", hub, hub.url(), report=told.append).run()
    assert final.read_bytes() == DATA
    assert is_here(entry, tmp_path / "minds")
    assert told[-1].done == told[-1].total == len(DATA)
    assert told[-1].host == "127.0.0.1"
    assert not part_of(entry, tmp_path / "minds").exists()


def test_cut_download_goes_on_where_it_stopped(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    final = download(entry, tmp_path, hub, hub.url("cut"), hub.url()).run()
    assert final.read_bytes() == DATA
    first, second = hub.ranges()
    assert first == ""
    assert second.startswith("bytes=") and second != "bytes=0-"


def test_download_resumes_after_restart(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    part_of(entry, tmp_path).write_bytes(DATA[:100_000])
    assert part_size(entry, tmp_path) == 100_000
    assert download(entry, tmp_path, hub, hub.url()).run().read_bytes() == DATA
    assert hub.ranges() == ["bytes=100000-"]


def test_server_without_ranges_starts_from_the_beginning(
    tmp_path: Path, hub: ModelHub, entry: CatalogueEntry
) -> None:
    part_of(entry, tmp_path).write_bytes(b"x" * 1000)
    assert download(entry, tmp_path, hub, hub.url("no_ranges")).run().read_bytes() == DATA


def test_part_longer_than_the_file_is_dropped(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    part_of(entry, tmp_path).write_bytes(DATA + b"more")
    assert download(entry, tmp_path, hub, hub.url()).run().read_bytes() == DATA


def test_refused_range_starts_anew(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    part_of(entry, tmp_path).write_bytes(DATA[:10])
    assert download(entry, tmp_path, hub, hub.url("416"), hub.url()).run().read_bytes() == DATA


@pytest.mark.parametrize("corrupt", ["part", "source"])
def test_wrong_bytes_are_deleted_and_named(
    tmp_path: Path, hub: ModelHub, entry: CatalogueEntry, corrupt: str
) -> None:
    if corrupt == "part":
        part_of(entry, tmp_path).write_bytes(b"y" * 1000)
    source = hub.url() if corrupt == "part" else hub.url("wrong_byte")
    with pytest.raises(LocalModelRefused) as refused:
        download(entry, tmp_path, hub, source).run()
    assert refused.value.problem == "checksum"
    assert not part_of(entry, tmp_path).exists()
    assert not is_here(entry, tmp_path)


@pytest.mark.parametrize(
    ("fault", "problem"),
    [("wrong_size", "local_model_wrong_size"), ("html", "local_model_no_file"), ("gone", "local_model_no_file")],
)
def test_answer_that_is_not_the_file_is_refused(
    tmp_path: Path, hub: ModelHub, entry: CatalogueEntry, fault: str, problem: str
) -> None:
    with pytest.raises(LocalModelRefused) as refused:
        download(entry, tmp_path, hub, hub.url(fault)).run()  # type: ignore[arg-type]
    assert refused.value.error_code == problem
    assert part_size(entry, tmp_path) == 0


@pytest.mark.parametrize("fault", ["endless", "loop"])
def test_server_without_an_end_is_left_after_the_size_of_the_file(
    tmp_path: Path, hub: ModelHub, entry: CatalogueEntry, fault: Literal["endless", "loop"]
) -> None:
    with pytest.raises(LocalModelRefused):
        download(entry, tmp_path, hub, hub.url(fault)).run()
    assert part_size(entry, tmp_path) <= entry.size
    assert not is_here(entry, tmp_path)
    assert len(hub.server.headers) < 10


def test_wrong_range_is_refused_and_the_part_stays(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    part_of(entry, tmp_path).write_bytes(DATA[:500])
    with pytest.raises(LocalModelRefused) as refused:
        download(entry, tmp_path, hub, hub.url("wrong_range")).run()
    assert refused.value.problem == "wrong_size"
    assert part_of(entry, tmp_path).read_bytes() == DATA[:500]


def test_next_source_is_tried_after_a_fault(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    final = download(entry, tmp_path, hub, hub.url("html"), hub.url("gone"), hub.url()).run()
    assert final.read_bytes() == DATA


def test_redirect_keeps_the_range(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    hub.server.answers["/moved"] = leads_to(hub.url())
    part_of(entry, tmp_path).write_bytes(DATA[:777])
    assert download(entry, tmp_path, hub, hub.server.at("/moved")).run().read_bytes() == DATA
    assert hub.ranges() == ["bytes=777-", "bytes=777-"]


def test_private_address_is_refused_without_the_tests_reach(
    tmp_path: Path, hub: ModelHub, entry: CatalogueEntry
) -> None:
    with pytest.raises(LocalModelRefused) as refused:
        Download(entry, tmp_path, [hub.url()]).run()
    assert refused.value.problem == "address"
    assert hub.server.asked == []


def test_hub_that_is_not_there_is_named(tmp_path: Path, entry: CatalogueEntry) -> None:
    hub = ModelHub(DATA)
    hub.close()
    with pytest.raises(LocalModelRefused) as refused:
        download(entry, tmp_path, hub, hub.url()).run()
    assert (refused.value.problem, refused.value.args_) == ("unreachable", {"host": "127.0.0.1"})


def test_full_disk_is_reported_before_the_first_byte(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    with pytest.raises(LocalModelRefused) as refused:
        download(entry, tmp_path, hub, hub.url(), free=lambda _folder: 5_000_000).run()
    assert refused.value.problem == "disk_full"
    assert hub.server.asked == []


def test_disk_that_fills_up_keeps_the_part(
    tmp_path: Path, hub: ModelHub, entry: CatalogueEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = 0
    real = os.write

    def limited(file: int, data: memoryview) -> int:
        nonlocal written
        if written >= 65_536:
            raise OSError(errno.ENOSPC, "No space left on device")
        written += len(data)
        return real(file, data)

    monkeypatch.setattr("pet.extras.local_models.fetch.os.write", limited)
    with pytest.raises(LocalModelRefused) as refused:
        download(entry, tmp_path, hub, hub.url()).run()
    assert refused.value.problem == "disk_full"
    monkeypatch.undo()
    assert DATA.startswith(part_of(entry, tmp_path).read_bytes())
    assert download(entry, tmp_path, hub, hub.url()).run().read_bytes() == DATA


def test_stop_keeps_the_part(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    def stop_at_the_first_bytes(progress: DownloadProgress) -> None:
        if progress.done:
            running.stop()

    running: Download = download(entry, tmp_path, hub, hub.url(), report=stop_at_the_first_bytes)
    with pytest.raises(LocalModelRefused) as refused:
        running.run()
    assert refused.value.problem == "stopped"
    assert 0 < part_size(entry, tmp_path) < len(DATA)


def test_second_process_is_told_that_one_downloads(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    with FileLock(part_of(entry, tmp_path).with_suffix(".lock")):
        refused: list[LocalModelRefused] = []

        def other() -> None:
            try:
                download(entry, tmp_path, hub, hub.url()).run()
            except LocalModelRefused as problem:
                refused.append(problem)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert [each.problem for each in refused] == ["busy"]


def test_nothing_but_address_and_range_is_sent(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    part_of(entry, tmp_path).write_bytes(DATA[:9])
    download(entry, tmp_path, hub, hub.url()).run()
    names = {"host", "accept", "accept-encoding", "user-agent", "connection", "range"}
    assert set(hub.server.headers[0]) == names


def test_remove_deletes_model_and_part(tmp_path: Path, entry: CatalogueEntry) -> None:
    (tmp_path / entry.file).write_bytes(DATA)
    part_of(entry, tmp_path).write_bytes(b"1")
    remove_model(entry, tmp_path)
    assert list(tmp_path.iterdir()) == []
    remove_model(entry, tmp_path / "nowhere")


def test_source_that_ends_after_a_few_bytes_is_not_asked_for_ever(
    tmp_path: Path, hub: ModelHub, entry: CatalogueEntry
) -> None:
    with pytest.raises(LocalModelRefused) as refused:
        download(entry, tmp_path, hub, hub.url("trickle"), hub.url("trickle")).run()
    assert refused.value.problem == "unreachable"
    assert len(hub.server.asked) == 2
    assert part_of(entry, tmp_path).read_bytes() == DATA[:20]


def test_source_that_drips_gives_way_to_the_next(tmp_path: Path, hub: ModelHub, entry: CatalogueEntry) -> None:
    """Each byte comes within the limit of a single read."""
    taken = threading.Semaphore(0)

    def drip(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(DATA)))
        request.end_headers()
        with suppress(OSError):  # the client is gone
            for start in (0, 10, 20):
                request.wfile.write(DATA[start : start + 10])
                taken.acquire(timeout=20)
            request.wfile.write(DATA[30:])

    hub.server.answers["/drip"] = drip
    clock = [0.0]

    def took(progress: DownloadProgress) -> None:
        clock[0] += 40.0 if progress.done < 100 else 0.0
        taken.release()

    running = download(
        entry,
        tmp_path,
        hub,
        hub.server.at("/drip"),
        hub.url(),
        report=took,
        now=lambda: clock[0],
        silent_seconds=60.0,
    )
    assert running.run().read_bytes() == DATA
    assert [path for path, _host in hub.server.asked] == ["/drip", "/none"]


LIES = [
    *(
        {"Content-Range": each}
        for each in (
            "bytes 0-299999/300000",
            "bytes */300000",
            "bytes 100000-299999/*",
            "bytes 100000-299999/1",
            "bytes -100000-299999/300000",
            f"bytes 100000-{'9' * 5_000}/300000",
            f"bytes {'9' * 5_000}-1/300000",
            "bytes 100000-299999/300000, bytes 0-1/300000",
            "octets 100000-299999/300000",
            "",
        )
    ),
    {"Content-Type": "multipart/byteranges; boundary=x"},
    {"Content-Range": "bytes 100000-299999/300000", "Content-Length": "9" * 5_000},
    {"Content-Range": "bytes 100000-299999/300000", "Content-Length": "-1"},
    {"Content-Range": "bytes 100000-299999/300000", "Content-Length": "1"},
    {"Content-Range": "bytes 100000-299999/300000", "Transfer-Encoding": "chunked"},
    {"Content-Range": "bytes 100000-299999/300000", "X-Long": "x" * 200_000},
    {"Content-Range": "bytes 100000-299999/300000", "Content-Encoding": "gzip"},
]
"""Headers of an answer to a request for the bytes from 100,000 on."""


@pytest.mark.parametrize("status", [200, 206, 416, 204, 304, 500])
def test_lies_about_the_range_are_refused_in_words_or_caught_by_the_hash(
    tmp_path: Path, hub: ModelHub, entry: CatalogueEntry, status: int
) -> None:
    for number, lie in enumerate(LIES):
        folder = tmp_path / str(number)
        folder.mkdir()
        part = part_of(entry, folder)
        part.write_bytes(DATA[:100_000])

        def answer(request: BaseHTTPRequestHandler, lie: dict[str, str] = lie) -> None:
            request.send_response(status)
            for name, value in lie.items():
                request.send_header(name, value)
            request.end_headers()
            request.wfile.write(DATA[99_000:])  # other bytes than it says
            request.close_connection = True

        hub.server.answers["/lies"] = answer
        with pytest.raises(LocalModelRefused):
            download(entry, folder, hub, hub.server.at("/lies")).run()
        assert not is_here(entry, folder)


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/model",
        "//192.168.1.1/model",
        "https://[::ffff:10.0.0.1]/model",
        "https://[fe80::1%25eth0]/model",
        "http://0x7f.1:9/model",
        "https://2130706433/model",
        "http://localhost.:9/model",
        "file:///etc/passwd",
        "ftp://127.0.0.1/model",
        "javascript:alert(1)",
        "https://name:word@127.0.0.1/model",
        "http://127.0.0.1:99999/model",
        "http://[::1/model",
        "https://" + "a" * 70_000,
        "\x01\x7f",
    ],
)
def test_redirect_to_a_private_or_odd_address_leads_nowhere(
    tmp_path: Path, hub: ModelHub, entry: CatalogueEntry, location: str
) -> None:
    hub.server.answers["/moved"] = leads_to(location)
    with pytest.raises(LocalModelRefused):
        download(entry, tmp_path, hub, hub.server.at("/moved")).run()
    assert [path for path, _host in hub.server.asked] == ["/moved"]
    assert part_size(entry, tmp_path) == 0


def test_file_that_changed_on_the_server_between_two_runs_is_caught_by_its_hash(
    tmp_path: Path, hub: ModelHub, entry: CatalogueEntry
) -> None:
    part_of(entry, tmp_path).write_bytes(DATA[:100_000])
    hub.data = bytes(200_000) + DATA[200_000:]
    with pytest.raises(LocalModelRefused) as refused:
        download(entry, tmp_path, hub, hub.url()).run()
    assert refused.value.problem == "checksum"
    assert not is_here(entry, tmp_path) and part_size(entry, tmp_path) == 0
    hub.data = DATA
    assert download(entry, tmp_path, hub, hub.url()).run().read_bytes() == DATA
