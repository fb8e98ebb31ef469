"""While memory is off no gated byte leaves, while it is "read" none is written; in the engine and on the wire."""
