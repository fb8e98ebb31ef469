"""Mutation testing of the modules that keep the promises: `make mutants`. Not part of `make test`."""
