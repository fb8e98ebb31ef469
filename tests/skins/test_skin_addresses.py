"""Skins from a pasted address: what is asked for, what never is, and what comes of it; the server is our own."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler
from urllib.parse import quote

import pytest

from pet.errors import SkinRefused
from pet.net.fetch import FetchPolicy
from pet.skins import download
from pet.skins.download import Downloads, read_address
from pet.skins.importer import find_credits, take_any
from tests.net.test_fetch import Dripping
from tests.skins.drawing import as_bytes, blot, draw_sheet, manifest, zipped
from tests.support.servers.web_server import Server, leads_to, sends

HERE = FetchPolicy(loopback=True)
SHEET = as_bytes(draw_sheet())
README = b"# Cat\n**Author:** [Lin](https://x.test)\n"
ZIP = zipped({"cat/pet.json": manifest(), "cat/spritesheet.webp": SHEET, "cat/README.md": README})


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def problem_of(work: Callable[[], object]) -> str:
    with pytest.raises(SkinRefused) as caught:
        work()
    return caught.value.problem


# --- what is pasted -------------------------------------------------------------------------------


def test_an_installing_link_names_picture_name_and_description() -> None:
    image = quote("https://pets.example.org/moon.webp?v=2", safe="")
    found = read_address(f"  codex://pets/install?name=Moon%20cat&imageUrl={image}&description=Sleeps%0Aa%20lot ")
    assert (found.web.url, found.web.host, found.name) == (
        "https://pets.example.org/moon.webp?v=2",
        "pets.example.org",
        "Moon cat",
    )
    assert (found.description, found.file, found.web.port) == ("Sleeps a lot", "moon.webp", 443)


@pytest.mark.parametrize(
    ("pasted", "problem"),
    [
        ("", "address"),
        ("moon cat", "address"),
        ("https://", "address"),
        ("https://lin:secret@pets.example.org/cat.zip", "address"),
        ("https://pets.example.org:99999/cat.zip", "address"),
        ("https://pets.example.org\\@127.0.0.1/cat.zip", "address"),
        ("codex://pets/remove?imageUrl=https://pets.example.org/a.webp", "address"),
        ("codex://pets/install?name=Moon", "address"),
        ("https://pets.example.org/" + "a" * 2000, "address"),
        ("http://pets.example.org/cat.zip", "address_scheme"),
        ("http://127.0.0.1/cat.zip", "address_scheme"),
        ("file:///etc/passwd", "address"),
        ("codex://pets/install?imageUrl=file:///etc/passwd", "address"),
        ("javascript:alert(1)", "address"),
        ("data:image/png;base64,AAAA", "address"),
    ],
)
def test_what_is_no_https_address_is_refused(pasted: str, problem: str) -> None:
    assert problem_of(lambda: read_address(pasted)) == problem


# --- what comes -----------------------------------------------------------------------------------


def test_an_offer_takes_nothing_and_a_download_tells_how_far_it_is(server: Server) -> None:
    data = bytes(300_000)
    server.answers["/go"] = leads_to("/pets/cat.zip")
    server.answers["/pets/cat.zip"] = sends(data)
    downloads = Downloads(HERE)
    offer = downloads.probe(server.at("/go"))
    assert (offer.host, offer.name, offer.size) == ("127.0.0.1", "cat.zip", 300_000)
    told: list[tuple[int, int | None]] = []
    fetched = downloads.fetch(server.at("/go"), lambda done, of: told.append((done, of)))
    assert fetched.data == data
    assert fetched.address.file == "cat.zip"
    assert told[0] == (0, 300_000)
    assert told[-1] == (300_000, 300_000)
    assert sorted(told) == told
    assert len(told) > 3


def test_what_is_gone_cut_endless_or_turns_in_circles_is_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "ZIP_BYTES", 200_000)
    server.answers |= {
        "/cut": sends(b"PK", size=1000),
        "/large": sends(b"PK", size=200_001),
        "/endless": sends(bytes(300_000), size=-1),
        "/circle": leads_to("/circle"),
    }
    downloads = Downloads(HERE)
    wanted = {
        "/nothing": "download_status", "/cut": "download_failed", "/large": "zip_too_large",
        "/endless": "zip_too_large", "/circle": "download_redirects",
    }  # fmt: skip
    assert {path: problem_of(partial(downloads.fetch, server.at(path))) for path in wanted} == wanted
    assert problem_of(lambda: downloads.probe(server.at("/large"))) == "zip_too_large"


def test_a_download_can_be_ended_and_only_one_runs_at_a_time(server: Server) -> None:
    go_on, begun = threading.Event(), threading.Event()

    def slowly(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "400000")
        request.end_headers()
        request.wfile.write(bytes(200_000))
        request.wfile.flush()
        go_on.wait(60)
        request.wfile.write(bytes(200_000))

    server.answers["/slow"] = slowly
    downloads, caught = Downloads(HERE), list[str]()

    def progress(done: int, _of: int | None) -> None:
        if done:
            begun.set()

    def fetch() -> None:
        caught.append(problem_of(lambda: downloads.fetch(server.at("/slow"), progress)))

    thread = threading.Thread(target=fetch)
    thread.start()
    assert begun.wait(60)
    assert problem_of(lambda: downloads.fetch(server.at("/slow"))) == "busy"
    downloads.cancel()
    go_on.set()
    thread.join(60)
    assert caught == ["cancelled"]


@pytest.mark.parametrize("pasted", ["codex://[pets/install?imageUrl=https://a.test", "https://[half/cat.zip"])
def test_half_an_address_is_refused_like_any_other(pasted: str) -> None:
    assert problem_of(lambda: read_address(pasted)) == "address"


def test_an_end_asked_for_before_ends_nothing_later(server: Server) -> None:
    server.answers["/cat.zip"] = sends(ZIP)
    downloads = Downloads(HERE)
    downloads.cancel()
    assert downloads.probe(server.at("/cat.zip")).size == len(ZIP)
    assert downloads.fetch(server.at("/cat.zip")).data == ZIP
    downloads.cancel()
    assert downloads.probe(server.at("/cat.zip")).size == len(ZIP)


def test_error_response_is_reported_with_its_status(server: Server) -> None:
    def nowhere(request: BaseHTTPRequestHandler) -> None:
        request.send_response(304)
        request.send_header("Content-Length", "0")
        request.end_headers()

    server.answers["/cat.zip"] = nowhere
    assert problem_of(lambda: Downloads(HERE).fetch(server.at("/cat.zip"))) == "download_status"


def test_cancelled_slow_download_does_not_block_the_next(server: Server) -> None:
    """The end is heard between two bytes, and the next download need not wait even for that."""
    go_on, begun, over = threading.Event(), threading.Event(), threading.Event()

    def byte_by_byte(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "400000")
        request.end_headers()
        begun.set()
        go_on.wait(60)
        while not over.wait(0.02):
            request.wfile.write(b"P")

    server.answers |= {"/drip": byte_by_byte, "/cat.zip": sends(ZIP)}
    downloads, caught = Downloads(HERE), list[str]()
    thread = threading.Thread(target=lambda: caught.append(problem_of(lambda: downloads.fetch(server.at("/drip")))))
    thread.start()
    assert begun.wait(60)
    downloads.cancel()
    assert downloads.fetch(server.at("/cat.zip")).data == ZIP
    go_on.set()
    thread.join(60)
    over.set()
    assert caught == ["cancelled"]


def test_a_server_that_drips_its_headers_ends_with_the_time_a_download_has() -> None:
    server = Dripping(b"HTTP/1.1 200 OK\r\nX-Long: ")
    downloads = Downloads(HERE, seconds=1.0)
    try:
        assert problem_of(lambda: downloads.fetch(f"http://127.0.0.1:{server.port}/cat.zip")) == "download_slow"
        assert problem_of(lambda: downloads.probe(f"http://127.0.0.1:{server.port}/cat.zip")) == "download_slow"
    finally:
        server.close()


# --- what is made of it ---------------------------------------------------------------------------


def test_a_single_sheet_becomes_a_codex_pet_with_the_link_s_words() -> None:
    taken = take_any("Moon cat", {"moon.webp": SHEET}, description="Sleeps.")
    said = json.loads(taken.files["pet.json"])
    assert (said["displayName"], said["description"], said["spritesheetPath"]) == (
        "Moon cat",
        "Sleeps.",
        "spritesheet.webp",
    )
    assert taken.files["spritesheet.webp"] == SHEET
    unnamed = take_any("", {"moon.png": as_bytes(draw_sheet(version=2), "PNG")})
    assert json.loads(unnamed.files["pet.json"])["displayName"] == "moon"
    assert "spritesheet.png" in unnamed.files
    assert problem_of(lambda: take_any("x", {"x.png": blot()})) == "nothing_known"


def test_author_and_licence_stay_with_the_skin_and_a_manifest_that_names_them_is_left_alone() -> None:
    said = json.loads(take_any("cat", {"cat.zip": ZIP}).files["pet.json"])
    assert (said["author"], said["displayName"]) == ("Lin", "Cat")
    own = manifest(author="Bo", license="MIT")
    files = {"pet.json": own, "spritesheet.webp": SHEET, "LICENSE": b"CC BY-SA 4.0\n"}
    assert take_any("cat", {"cat.zip": zipped(files)}).files["pet.json"] == own


@pytest.mark.parametrize(
    ("files", "author", "licence"),
    [
        ({"submission.json": b'{"author": {"name": "Lin"}, "license": "CC0-1.0"}'}, "Lin", "CC0-1.0"),
        ({"README.md": "- 作者：小林\n- 许可: CC BY 4.0\n".encode()}, "小林", "CC BY 4.0"),
        ({"LICENSE": b"\n# MIT License\n\nCopyright"}, "", "MIT License"),
        ({"submission.json": b"[" * 100_000, "README.md": b"\xff\xfe by me"}, "", ""),
        ({"submission.json": b'{"author": "a\\u202e\\n' + b"b" * 200 + b'"}'}, "a " + "b" * 58, ""),
    ],
)
def test_credits_are_read_from_neighbouring_files(files: dict[str, bytes], author: str, licence: str) -> None:
    found = find_credits("", files, lambda name, limit: files[name][:limit])
    assert (found.author, found.licence) == (author, licence)
