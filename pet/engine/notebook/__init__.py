"""Notes with small models: one bound question about what is to be noted, decided here, then a reply without tools."""
