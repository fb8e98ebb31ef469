"""Terminal front end: commands and the chat. Independent of the windows; ``__main__`` connects the two."""
