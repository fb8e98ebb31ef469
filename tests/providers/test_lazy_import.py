"""The SDK costs over a second and 80 MB: nothing may import it before a provider is made."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module",
    ["pet.providers.anthropic_provider", "pet.providers.faults", "pet.settings.api_keys"],
)
def test_importing_ours_imports_neither_sdk_nor_keyring(module: str) -> None:
    heavy = "('anthropic', 'httpx2', 'pydantic', 'keyring')"
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
