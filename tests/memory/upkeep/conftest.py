from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.upkeep.desk import CareDesk


@pytest.fixture
def care(tmp_path: Path) -> CareDesk:
    return CareDesk(tmp_path)
