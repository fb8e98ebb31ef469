"""The subcommands of `pet` other than chat, one module each. None prints a key; the chat uses some of them."""
