"""Labelled requests for small models, in two languages: what to note of a message (``make local-model-eval``)."""
