"""Downloads from a hub on the loopback: cut, resumed, corrupt, full disk, redirects, wrong size, HTML."""

from __future__ import annotations

import errno
import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from filelock import FileLock

from pet.errors import LocalModelRefused
from pet.local_models.catalogue import CatalogueEntry
from pet.local_models.fetch import Download, DownloadProgress, remove_model
from pet.local_models.model_store import is_here, part_of, part_size
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

    monkeypatch.setattr("pet.local_models.fetch.os.write", limited)
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
