"""The only way from outside into the core: typed commands in, numbered events out."""
