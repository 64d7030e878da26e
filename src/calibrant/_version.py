"""Which calibrant this is."""

from __future__ import annotations


def installed_version() -> str:
    """Return the version of calibrant, also where it runs from a checkout."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("calibrant")
    except PackageNotFoundError:
        return "unknown"
