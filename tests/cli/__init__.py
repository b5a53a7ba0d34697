"""The command line, run as its users run it."""
