"""Handlers of the command table: thin functions that call one thing each, without decoding or policy."""
