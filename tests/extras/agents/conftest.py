import pytest

from tests.cli.conftest import pet, server

__all__ = ["pet", "server"]
PLACES = (
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "QWEN_HOME", "CONTINUE_GLOBAL_DIR", "OPENCODE_CONFIG"),
    *("CLINE_DIR", "CLINE_DATA_DIR", "CLINE_MCP_SETTINGS_PATH", "XDG_CONFIG_HOME"),
)


@pytest.fixture(autouse=True)
def _no_settings_of_who_runs_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PLACES:
        monkeypatch.delenv(name, raising=False)
