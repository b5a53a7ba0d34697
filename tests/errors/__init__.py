"""Faulty programs, and where each is refused."""
