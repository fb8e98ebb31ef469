"""Around one conversation: tabs, export, pictures on the internet, masked secrets."""
