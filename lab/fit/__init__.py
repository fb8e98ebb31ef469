"""Parts fitted to labelled questions by `lab.fit_search`."""
