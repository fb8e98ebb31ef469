"""Web views of the windows: import, restrictions, dropped models, crashes. The only importer of QtWebEngine."""
