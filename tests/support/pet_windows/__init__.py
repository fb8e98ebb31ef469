"""The pet's windows on such a desktop: opened, clicked, found again."""
