"""One real local model for the whole run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.models.local_model import LocalModel


@pytest.fixture(scope="package")
def local_model() -> Iterator[LocalModel]:
    with LocalModel.smollm2() as model:
        yield model
