"""The studio: the desktop, the program on it as a stage, and what axe says of its pages."""
