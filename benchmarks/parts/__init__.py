"""Measurements of `python -m benchmarks`, each part alone with `--only`."""
