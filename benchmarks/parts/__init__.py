"""What `python -m benchmarks` measures, each part alone with `--only`."""
