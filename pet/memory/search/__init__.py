"""The index over entries and utterances, and what it finds for a question or a message."""
