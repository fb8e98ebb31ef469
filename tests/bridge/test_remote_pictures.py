"""A picture that a reply only points to: nothing before the click, then that one, checked and drawn anew."""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest
from PIL import Image

from pet.bridge import reply_links
from pet.bridge.command import Client
from pet.bridge.reply_links import LoadedPicture, RemotePictures, is_mentioned
from pet.errors import FetchRefused, UnknownTurn
from pet.net.fetch import FetchPolicy
from tests.engine.conftest import Core, Make
from tests.support.models.scripted import say
from tests.support.program.invoking import refused
from tests.support.servers.web_server import Server, gone, leads_to, sends

PATH = "/cat%20one.jpg?size=big&who=%E7%8C%AB"


def photo(width: int = 3000, height: int = 2000) -> bytes:
    """As a camera writes it, with where it was taken."""
    notes = Image.Exif()
    notes[0x010F] = "Secret Camera"
    out = io.BytesIO()
    Image.new("RGB", (width, height), (200, 90, 40)).save(out, "JPEG", exif=notes, comment=b"Secret comment")
    return out.getvalue()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


class Shown:
    """A reply that names pictures of the server, and the owner's clicks on them."""

    def __init__(self, make_core: Make, server: Server, *paths: str) -> None:
        named = "\n".join(f"![a cat]({server.at(path)})" for path in paths)
        self.core: Core = make_core(say(f"Look:\n{named}"))
        self.server = server
        self.live = self.core.app.conversations.create(memory=True)
        self.turn = self.live.send("show me")
        self.live.wait(60)
        self.pictures = RemotePictures(self.core.app.conversations, lambda: FetchPolicy(plain=True, loopback=True))

    def click(self, path: str) -> LoadedPicture:
        return self.pictures.load(self.live.id, self.turn, self.server.at(path))

    def problem(self, path: str) -> str:
        with pytest.raises(FetchRefused) as caught:
            self.click(path)
        texts = self.core.app.texts()
        assert texts(f"error.{caught.value.error_code}", **caught.value.args_)
        return caught.value.problem


def test_the_clicked_picture_comes_small_and_without_what_a_camera_notes(make_core: Make, server: Server) -> None:
    server.answers[PATH] = sends(photo())
    shown = Shown(make_core, server, PATH)
    assert server.asked == []  # named, shown, and not asked for
    picture = shown.click(PATH)
    kind, _, data = picture.image.partition(";base64,")
    content = base64.b64decode(data)
    with Image.open(io.BytesIO(content)) as drawn:
        assert (drawn.size, dict(drawn.getexif())) == ((picture.width, picture.height), {})
    assert (kind, picture.width) == ("data:image/jpeg", 1568)
    assert b"Secret" not in content
    assert [path for path, _host in server.asked] == [PATH]
    assert set(server.headers[0]) == {"host", "accept", "accept-encoding", "user-agent", "connection"}


def test_nothing_of_it_is_kept(make_core: Make, server: Server) -> None:
    server.answers[PATH] = sends(photo(40, 30))
    shown = Shown(make_core, server, PATH)
    files = {path: path.read_bytes() for path in shown.core.home.data.rglob("*") if path.is_file()}
    shown.click(PATH)
    assert {path: path.read_bytes() for path in shown.core.home.data.rglob("*") if path.is_file()} == files
    shown.click(PATH)
    assert len(server.asked) == 2  # asked again, since there is nothing left


def test_only_images_named_in_the_reply_are_loaded(make_core: Make, server: Server) -> None:
    server.answers |= {"/cat.png": sends(photo(40, 30)), "/cat.png?soul=Mochi": sends(photo(40, 30))}
    shown = Shown(make_core, server, "/cat.png")
    assert shown.problem("/cat.png?soul=Mochi") == "not_said"
    assert shown.problem("/CAT.png") == "not_said"
    with pytest.raises(UnknownTurn):
        shown.pictures.load(shown.live.id, "other", server.at("/cat.png"))
    assert server.asked == []
    assert shown.click("/cat.png").width == 40


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "no_picture"),
        (b"<html>no picture</html>", "no_picture"),
        (photo(60, 60)[:500], "no_picture"),
        (b"", "no_picture"),
    ],
    ids=["svg", "page", "half", "empty"],
)
def test_what_is_no_picture_is_refused(make_core: Make, server: Server, content: bytes, problem: str) -> None:
    server.answers["/a.png"] = sends(content)
    assert Shown(make_core, server, "/a.png").problem("/a.png") == problem


def test_each_other_failure_has_a_sentence_too(make_core: Make, server: Server) -> None:
    huge = io.BytesIO()
    Image.new("1", (10_000, 6_000)).save(huge, "PNG")
    server.answers |= {
        "/gone": gone,
        "/large": sends(b"x", size=21 * 1024 * 1024),
        "/cut": sends(b"x", size=1000),
        "/circle": leads_to("/circle"),
        "/home": leads_to("http://10.0.0.1/admin"),
        "/file": leads_to("ftp://example.org/a.png"),
        "/huge": sends(huge.getvalue()),
    }
    shown = Shown(make_core, server, *server.answers)
    assert {path: shown.problem(path) for path in server.answers} == {
        "/gone": "status", "/large": "too_large", "/cut": "failed", "/circle": "redirects",
        "/home": "address_private", "/file": "address_scheme", "/huge": "too_many_pixels",
    }  # fmt: skip


def test_private_addresses_and_other_clients_are_refused(make_core: Make, server: Server) -> None:
    shown = Shown(make_core, server, "/a.png")
    commands, asking = shown.core.app.commands, {"conversation": shown.live.id, "turn": shown.turn}
    address = server.at("/a.png")
    assert refused(commands, "load_picture", **asking, address=address)["code"] == "fetch_address_private"
    for other in (Client.PET, Client.BUBBLE, Client.SOCKET):
        assert refused(commands, "load_picture", other, **asking, address=address)["code"] == "not_allowed"
    assert server.asked == []


def test_a_server_that_says_nothing_is_waited_for_no_longer_than_that(
    make_core: Make, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_links, "_WHOLE_SECONDS", 0.5)
    over = threading.Event()

    def silent(_request: BaseHTTPRequestHandler) -> None:
        over.wait(60)

    server.answers["/a.png"] = silent
    assert Shown(make_core, server, "/a.png").problem("/a.png") == "slow"
    over.set()


def test_closing_hangs_up_on_a_silent_server(make_core: Make, server: Server) -> None:
    begun, over = threading.Event(), threading.Event()

    def silent(_request: BaseHTTPRequestHandler) -> None:
        begun.set()
        over.wait(60)

    server.answers["/a.png"] = silent
    shown = Shown(make_core, server, "/a.png")
    caught: list[str] = []
    waits = threading.Thread(target=lambda: caught.append(shown.problem("/a.png")))
    waits.start()
    assert begun.wait(60)
    shown.pictures.close()
    waits.join(60)  # else the server's silence would have ended it, as slow
    assert caught == ["cancelled"]
    over.set()
    assert shown.problem("/a.png") == "cancelled"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("![x](https://example.org/a.png)", "https://example.org/a.png"),
        ("![x](HTTPS://Example.ORG)", "https://example.org/"),
        ("![x](https://example.org/图/猫.png?q=图#到)", "https://example.org/%E5%9B%BE/%E7%8C%AB.png?q=%E5%9B%BE#%E5%88%B0"),
        ("![x](<https://example.org/my cat.png>)", "https://example.org/my%20cat.png"),
        ("![x](https://bücher.example/a)", "https://xn--bcher-kva.example/a"),
        ("![x](https://faß.example/a)", "https://xn--fa-hia.example/a"),
        ("![x](https://example.org/a\\_b.png)", "https://example.org/a_b.png"),
        ("![x](https://example.org?a=1)", "https://example.org/?a=1"),
        ("![x](HTTPS://Example.org:443/a)", "https://example.org/a"),
        ("![x](http://example.org:80/a_(b).png)", "http://example.org/a_(b).png"),
        ("![x](https://example.org/a'b?c='d'|{e})", "https://example.org/a'b?c=%27d%27|{e}"),
        ("![x][1]\n\n[1]: https://example.org:8080/a%2Fb", "https://example.org:8080/a%2Fb"),
        (f"![x](https://xn--tea-{'a' * 60}/)", f"https://xn--tea-{'a' * 60}/"),  # too long for a name: not decoded
    ],
)  # fmt: skip
def test_an_address_is_found_as_a_page_writes_it(text: str, address: str) -> None:
    assert is_mentioned(address, [text])
    assert not is_mentioned(address + "0", [text])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("![x](https://example.org.evil.example/a.png)", "https://example.org/"),
        ("![x](https://example.org/a.png)", "https://example.org/"),
        ("![x](https://example.org/a.png)", "https://example.org/a"),
        ("![x](https://example.org/a.png?soul=Mochi)", "https://example.org/a.png?soul=M"),
        ("![x](https://example.org:8443/a.png)", "https://example.org:8/"),
        ("![x](https://example.org/a/)", "https://example.org/a"),
    ],
)
def test_the_beginning_of_an_address_is_another_address(text: str, address: str) -> None:
    assert not is_mentioned(address, [text])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("![x](https://example.org/a?)", "https://example.org/a?"),
        ("![x](https://example.org/a.png 'a cat')", "https://example.org/a.png"),
        ("![x](<https://example.org/>)", "https://example.org/"),
        ("[1]: https://example.org/a.png\n![x][1]", "https://example.org/a.png"),
    ],
)
def test_an_address_is_found_whatever_ends_it(text: str, address: str) -> None:
    assert is_mentioned(address, [text])


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/A.png", "https://example.org/%61.png", "http://example.org/a.png",
        "https://other.org/a.png", "https://example.org/a.png?", "https://[half",
    ],
)  # fmt: skip
def test_what_a_page_could_only_have_made_up_is_not_found(address: str) -> None:
    named = is_mentioned(address, ["![x](https://example.org/a.png)"])
    assert named is (address == "https://example.org/a.png?")  # an empty question says nothing
