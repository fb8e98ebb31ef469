"""Character cards: import from PNG, JSON and charx, conversion to a soul, lossless export."""
