"""The pet, chat and bubble windows: visibility, placement, geometry. Knows neither menu nor hotkeys."""
