"""No proxy of the machine that runs the tests gets between them and their server."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("ANTHROPIC_"):
            monkeypatch.delenv(name)
