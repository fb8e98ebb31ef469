"""What is in .ci/, build.spec and the workflows."""
