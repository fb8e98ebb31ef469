from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory_care.desk import CareDesk


@pytest.fixture
def care(tmp_path: Path) -> CareDesk:
    return CareDesk(tmp_path)
