"""The tools a pet has: schemas of what it may touch now, and the code that runs a call."""
