"""Candidate selection, ranking, results and what goes along with a message. Reads the index only; never writes."""
