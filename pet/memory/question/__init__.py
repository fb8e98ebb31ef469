"""What a message asks: its words, its days, where its embedding leads and whether it concerns a memory. Pure."""
