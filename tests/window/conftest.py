"""A home and a place for pictures for each window test; their desktop is in the conftest of all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.desktop.xvfb import PATIENCE

expect.set_options(timeout=PATIENCE * 1000)  # a limit, as everywhere: five seconds are none on a busy machine


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def shots(request: pytest.FixtureRequest) -> Path:
    """Pictures for the eye; the folder is ignored by git."""
    return Path(request.config.rootpath) / "shots"
