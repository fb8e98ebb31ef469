"""The promises, over random histories and hostile parts."""
