"""Around one conversation: tabs, pictures on the internet, masked secrets."""
