"""The subcommands of ``pet`` other than chat. None prints a key."""
