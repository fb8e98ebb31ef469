"""Between the windows and the core in the same process: what each may ask of the other."""
