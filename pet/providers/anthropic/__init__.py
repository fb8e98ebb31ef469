"""The Messages API. The only importer of the anthropic SDK."""
