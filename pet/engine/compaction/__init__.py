"""Replacing old turns by a summary when a request exceeds the token budget. The transcript keeps the turns."""
