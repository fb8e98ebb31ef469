"""Character cards: read from PNG, JSON and charx, turned into a soul, and given back without loss."""
