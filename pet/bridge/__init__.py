"""The interface of the core: typed commands in, numbered events out."""
