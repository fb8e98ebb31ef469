"""The subcommands of `pet` other than chat."""
