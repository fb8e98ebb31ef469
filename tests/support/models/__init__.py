"""Models: scripted ones, real local ones, and conversations with them."""
