"""Fixture for compaction of short conversations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pet.engine import compaction


@pytest.fixture(scope="module")
def two_turns_kept() -> Iterator[None]:
    """Let a compaction leave two turns instead of ten."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compaction, "KEPT_TURNS", 2)
        yield
