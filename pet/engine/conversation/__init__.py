"""Live conversations: one job at a time, the memory switch, proposals to the owner."""
