"""What every test shares: Hypothesis profiles, a home of its own, no key ring, and no network but loopback.

Tests marked ``nightly`` run with ``--nightly`` only, and random tests have ten times the examples then.
"""

from __future__ import annotations

import gc
import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from pet.desktop.qt_import import import_plainly
from pet.memory.search.embedders import E5Embedder, UniversalEmbedder, one_thread
from pet.paths import Home, find_home

if TYPE_CHECKING:
    from playwright.sync_api import Playwright

    from tests.support.desktop.xvfb import Desktop

_TESTS = Path(__file__).parent

for _profile, _examples in (("day", 30), ("night", 300)):
    settings.register_profile(
        _profile,
        derandomize=True,
        deadline=None,
        max_examples=_examples,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=False,
    )
settings.load_profile("day")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="run the expensive tests too, and more random examples")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--nightly"):
        settings.load_profile("night")
        _EngineThatRemembers.characters = sys.maxsize


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files that cannot have a test of the kind asked for: importing all of them takes 15 s of a core."""
    kind = config.getoption("markexpr")
    if kind.startswith("not window") and collection_path.is_relative_to(_TESTS / "window"):
        return True
    if kind in ("real_model", "window") and collection_path.name.startswith("test_"):
        return f"mark.{kind}".encode() not in collection_path.read_bytes() or None
    return None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let a run's second worker import the tests from the last file on, until it meets one that the first has
    imported: pytest compiles each assertion anew, which takes 30 s of a core in a clean clone.
    """
    gc.disable()  # until all is imported: it would visit a million objects again and again, and none is garbage
    if os.environ.get("PYTEST_XDIST_WORKER") != "gw1" or {*map(Path, session.config.args)} != {_TESTS}:
        return
    for file in sorted(_TESTS.rglob("test_*.py"), reverse=True):
        compiled = Path(cache_from_source(str(file)))
        if any(compiled.parent.glob(f"{compiled.stem}-pytest-*.pyc")):
            return
        if not session.config.hook.pytest_ignore_collect(collection_path=file, config=session.config):
            with suppress(pytest.skip.Exception):  # it is for another system
                import_module(".".join(file.relative_to(_TESTS.parent).with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--nightly"):
        return
    left_out = [item for item in items if item.get_closest_marker("nightly")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()
    import_plainly()  # a test's import of PySide hooks into each later import, also those within functions


@pytest.fixture(scope="session")
def desktop() -> Iterator[Desktop]:
    """One for all window tests, those beside their extra too."""
    from tests.support.desktop.xvfb import open_desktop

    with open_desktop() as opened:
        yield opened


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """The connection to browsers, of which a process can have one only."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


# Set before a test imports anything of ours: no test may meet the key, the pet or the key ring of whoever runs it.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
for _name in ("PET_HOME", "PET_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
    os.environ.pop(_name, None)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _guard(event: str, args: tuple[object, ...]) -> None:
    """Tests talk to servers of their own on loopback. An audit hook holds for every library without patching one."""
    if event != "socket.connect":
        return
    connecting, address = args
    if isinstance(connecting, socket.socket) and connecting.family in (socket.AF_INET, socket.AF_INET6):
        host = address[0] if isinstance(address, tuple) else str(address)
        if not _is_loopback(str(host)):
            raise PermissionError(f"a test may not connect to {host}")


sys.addaudithook(_guard)


class _EngineThatRemembers:
    """A real model, loaded once in this run and asked once for each text: loading takes up to a second of a core, a
    text up to 70 ms.
    """

    characters = 300
    """Of a text that a test embeds: a note and more. A message of 450 tokens takes the third of a second. With
    ``--nightly`` all of it.
    """

    def __init__(self, engine: Any) -> None:
        self._engine, self._lock = engine, threading.Lock()
        self._known: dict[tuple[str, str], Any] = {}
        os.register_at_fork(after_in_child=self._unlock)

    def query(self, text: str) -> Any:
        return self._vector("query", text).copy()

    def passage(self, text: str) -> Any:
        return self._vector("passage", text).copy()

    def encode(self, texts: list[str]) -> Any:
        import numpy as np

        return np.stack([self._vector("encode", text) for text in texts])

    def _vector(self, method: str, text: str) -> Any:
        asked = method, text[: self.characters]
        with self._lock:  # embedders that share it have a lock each
            if asked not in self._known:
                self._known[asked] = getattr(self._engine, method)(asked[1])
            return self._known[asked]

    def _unlock(self) -> None:
        self._lock = threading.Lock()


def _load_once(kind: type[E5Embedder | UniversalEmbedder]) -> None:
    load: Any = kind._load
    shared = cache(lambda: _EngineThatRemembers(load(kind())))

    def _load(self: Any) -> Any:
        self._engine = shared()
        return self._engine

    kind._load = _load  # type: ignore[method-assign]


one_thread()
_load_once(E5Embedder)
_load_once(UniversalEmbedder)


collect_ignore = (
    [  # need a terminal or a socket as only POSIX has them
        "bridge/test_socket.py",
        "cli/test_chat.py",
        "cli/test_endless_reply.py",
        "cli/test_forget_in_chat.py",
        "cli/test_read_only_chat.py",
        "cli/commands/test_remind_command.py",
        "cli/commands/test_transfer_command.py",
        "extras/imports/test_terminal.py",
    ]
    if sys.platform == "win32"
    else []
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """The five folders of the program under a folder of this test's own."""
    return find_home(tmp_path / "home")
