"""Daily logs and entries as text: their format, what they say about the owner, shortening and forgetting."""
