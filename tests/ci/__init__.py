"""Tests of .ci/, build.spec and the workflows."""
