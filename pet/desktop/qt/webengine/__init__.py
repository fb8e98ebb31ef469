"""The web view of a window: how it is loaded, what its page may do, its dropped models and its crashes.

Only this room imports QtWebEngine. It knows nothing of the windows around the view.
"""
