"""The whole program without windows: make it, call it, give it conversations."""
