"""One module per desktop behind one interface."""
