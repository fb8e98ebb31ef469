"""The pet, chat and bubble windows: visibility, placement, geometry."""
