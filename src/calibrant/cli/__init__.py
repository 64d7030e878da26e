"""The command line: parse, call the library, print. No statistics of its own."""

from calibrant.cli._main import main

__all__ = ["main"]
