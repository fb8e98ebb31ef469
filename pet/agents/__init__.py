"""Memory for other agents: their positions, calls under the gate, the MCP protocol, and their settings files."""
