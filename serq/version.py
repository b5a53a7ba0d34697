"""The version of the package: one place, read by reports, by the command line and by the build."""

__version__ = "0.1.0"
