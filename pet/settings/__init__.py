"""Settings, the API key and small state: files beside the workspace, read anew when they changed."""
