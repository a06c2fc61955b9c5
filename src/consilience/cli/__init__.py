"""The command line: one verb per file, each a thin call into the library."""

from consilience.cli.app import main

__all__ = ["main"]
