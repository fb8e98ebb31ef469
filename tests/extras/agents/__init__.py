"""Other agents: protocol, positions, proposals, settings files."""
