"""``pet chat``: the conversation in a terminal, above ``cli.commands``."""
