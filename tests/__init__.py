"""Tests of serq."""
