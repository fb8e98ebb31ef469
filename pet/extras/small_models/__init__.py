"""Small models: a reply without tools, and one bound question about what to note."""

from __future__ import annotations

from pet.extra import Extra

EXTRA = Extra(ports={"small_models": "pet.extras.small_models.small_model.Way"})
