"""The speech bubble: what it says, when it may come by itself, and its words as plain text."""
