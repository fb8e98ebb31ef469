"""Models: scripted ones, real ones on this computer, and conversations with them."""
