"""Query parsing, candidate selection, ranking and results. Reads the index only; never writes."""
