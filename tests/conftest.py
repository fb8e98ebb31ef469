"""What every test shares: Hypothesis profiles, a home of its own, no key ring, and no network but loopback.

Tests marked ``nightly`` run with ``--nightly`` only, and random tests have ten times the examples then.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from pet.memory.embedders import E5Embedder
from pet.paths import Home, find_home

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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--nightly"):
        return
    left_out = [item for item in items if item.get_closest_marker("nightly")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


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
    """The real model, asked once for each text: it says the same again, after 70 ms of a core for each sentence."""

    def __init__(self, engine: Any) -> None:
        self._query, self._passage = cache(engine.query), cache(engine.passage)

    def query(self, text: str) -> Any:
        return self._query(text).copy()

    def passage(self, text: str) -> Any:
        return self._passage(text).copy()


_load_engine = E5Embedder._load


def _load_once(self: E5Embedder) -> Any:
    if not isinstance(self._engine, _EngineThatRemembers):
        self._engine = _EngineThatRemembers(_load_engine(self))
    return self._engine


E5Embedder._load = _load_once  # type: ignore[method-assign]


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
