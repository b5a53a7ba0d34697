"""Tests of what editors are given."""
