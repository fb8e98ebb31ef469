"""Commands about which pets there are, who they are and how they look."""
