"""Handlers of the command table: thin functions that decode nothing, decide nothing and call one thing each."""
