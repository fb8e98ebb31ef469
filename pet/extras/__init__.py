"""The extras: each folder is one, registered in ``pet.extra``. None imports another, and the core imports none."""
