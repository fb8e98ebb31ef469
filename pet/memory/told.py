"""Conversations as something to search: what was said aloud in them while the brain was ON (PRODUCT §3.4, §6.2)."""

from __future__ import annotations

CONVERSATIONS = "conversations"
