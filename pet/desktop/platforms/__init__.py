"""One module per desktop behind one interface, ``base``. Knows neither our windows nor our menu."""
