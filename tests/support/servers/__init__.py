"""Servers on loopback: model protocols with scripted replies, a model hub, web pages."""
