"""One module per desktop behind one interface (PRODUCT §8.9)."""
