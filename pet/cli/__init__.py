"""The terminal front end: commands and the chat. Knows no window; ``__main__`` joins the two."""
