"""Servers on loopback: model protocols with scripted replies, a hub of models, the web."""
