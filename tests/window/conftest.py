"""One desktop for all window tests; a home, a browser connection and a protocol server for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect, sync_playwright

from tests.support.desktop.xvfb import PATIENCE, Desktop, open_desktop

expect.set_options(timeout=PATIENCE * 1000)  # a limit, as everywhere: five seconds are none on a busy machine


@pytest.fixture(scope="session")
def desktop() -> Iterator[Desktop]:
    with open_desktop() as opened:
        yield opened


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def shots(request: pytest.FixtureRequest) -> Path:
    """Pictures for the eye; the folder is ignored by git."""
    return Path(request.config.rootpath) / "shots"
