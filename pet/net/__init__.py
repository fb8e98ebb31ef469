"""What is fetched from the open internet, on the owner's word alone, and the rules for it."""
