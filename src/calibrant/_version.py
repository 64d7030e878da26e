"""Versions of what is installed; imports nothing, so that asking is cheap."""

from __future__ import annotations


def installed_version(package: str) -> str | None:
    """Return the version of a package, or None where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def own_version() -> str:
    """Return the version of calibrant, also where it runs from a checkout."""
    return installed_version("calibrant") or "unknown"
