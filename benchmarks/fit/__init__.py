"""Parts fitted to labelled questions by `benchmarks.fit_search`."""
