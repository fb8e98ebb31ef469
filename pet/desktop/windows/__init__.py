"""The pet, chat and bubble windows: visibility, placement, geometry. Never imports menu or hotkeys."""
