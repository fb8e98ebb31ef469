"""One module per desktop, behind the interface in ``base``. Never imports our windows or menus."""
