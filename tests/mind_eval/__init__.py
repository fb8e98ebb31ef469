"""Labelled requests for small models: what is to be noted of a message, in two languages (``make mind-eval``)."""
