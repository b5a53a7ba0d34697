"""Tests of serq.syntax: text to tree and back."""
