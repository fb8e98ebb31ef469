"""`pet chat`: the terminal conversation."""
