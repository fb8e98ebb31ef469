"""Conversations as append-only lines of JSON, and the pure folds that read them back."""
