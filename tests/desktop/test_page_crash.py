"""A page whose process ended comes back, unless it keeps ending."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

if sys.platform != "linux":
    pytest.skip("Qt is the backend of Linux", allow_module_level=True)

from pet.desktop import web_engine


def test_crashes_of_last_week_leave_a_page_its_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    now, reloads, died = [0.0], list[float](), list[object]()
    monkeypatch.setattr(web_engine, "QTimer", SimpleNamespace(singleShot=lambda _after, work: work()))
    monkeypatch.setattr(web_engine, "time", SimpleNamespace(monotonic=lambda: now[0]))
    page = SimpleNamespace(renderProcessTerminated=SimpleNamespace(connect=died.append))
    view = SimpleNamespace(page=lambda: page, reload=lambda: reloads.append(now[0]))
    web_engine.reload_after_crash(SimpleNamespace(webview=view))
    [crash] = died
    assert callable(crash)
    for at in (0.0, 1.0, 2.0, 3.0, 4.0, 100_000.0, 200_000.0, 300_000.0, 400_000.0):
        now[0] = at
        crash()
    assert reloads == [0.0, 1.0, 2.0, 100_000.0, 200_000.0, 300_000.0, 400_000.0]
