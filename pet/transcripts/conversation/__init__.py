"""A conversation folded from its records, and what is derived from it. Pure and deterministic."""
