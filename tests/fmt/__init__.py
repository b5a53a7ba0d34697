"""Tests of `serq fmt`."""
