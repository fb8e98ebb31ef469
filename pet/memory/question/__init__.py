"""Read a question: its words, its days, its embedding, and whether it concerns something remembered. Pure."""
