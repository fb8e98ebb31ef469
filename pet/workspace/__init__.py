"""Files of a pet: scoped by name, locked, compared, atomic, every version kept, watched."""
