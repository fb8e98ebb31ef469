"""Settings, API keys and small program state: files outside the workspace, re-read when they change."""
