"""The pet's tools: schemas for the current access, and execution of calls."""
