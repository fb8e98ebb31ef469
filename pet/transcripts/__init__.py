"""Conversations as append-only lines of JSON, and the pure folds that read them back (PRODUCT §2, §3.3, §7.2)."""
