"""The pets of a home: create, rename, duplicate, export, delete, and each one's pet.toml."""
