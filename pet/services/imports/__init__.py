"""Import of another program's memories or of a whole pet: survey, carry out, undo."""
