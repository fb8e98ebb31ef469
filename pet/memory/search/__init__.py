"""Candidate selection, ranking, results and recall. Reads the index only; never imports what writes it."""
