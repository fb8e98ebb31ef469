"""Commands about the program as a whole: its state, settings, models, usage and data."""
