"""Conversations of a local model that calls tools, held by hand: it notes, recalls, and keeps the memory switch."""
