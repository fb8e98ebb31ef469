"""Commands on the pet's files: editing, versions, search, forgetting, promises."""
