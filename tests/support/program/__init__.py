"""The whole program without windows: made, asked, given conversations."""
