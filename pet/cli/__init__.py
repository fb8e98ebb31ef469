"""The terminal front end: commands and the chat (PRODUCT §10). Knows no window; ``__main__`` joins the two."""
