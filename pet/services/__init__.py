"""Services shared by the bridge's commands and the command line; several of their data classes go to the pages."""
