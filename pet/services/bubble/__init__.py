"""The speech bubble: content, limits of unsolicited messages, plain text."""
