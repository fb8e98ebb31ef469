"""`pet chat`: the conversation in a terminal. What the commands do as well, it does by way of ``cli.commands``."""
