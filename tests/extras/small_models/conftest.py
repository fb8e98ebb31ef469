"""A whole core over a scripted model."""

from __future__ import annotations

from tests.engine.conftest import make_core

__all__ = ["make_core"]
