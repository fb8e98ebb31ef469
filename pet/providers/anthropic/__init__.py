"""The Messages API through the anthropic SDK. The only importer of the SDK."""
