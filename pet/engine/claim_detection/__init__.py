"""Claims of having remembered something, and requests to remember."""
