"""Conversations as append-only JSON lines, and the pure fold that reads them back."""
