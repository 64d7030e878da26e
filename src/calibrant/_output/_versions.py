"""Versions of calibrant and the libraries it uses."""

from __future__ import annotations

#: the version, which pyproject.toml reads from here
__version__ = "0.1.0"
#: its name for the other parts
VERSION = __version__

#: libraries that are used if installed
LIBRARIES = (
    "numpy",
    "scipy",
    "narwhals",
    "click",
    "rich",
    "matplotlib",
    "jinja2",
    "pyarrow",
    "dask",
    "torch",
)


def installed_version(package: str) -> str | None:
    """Return the version of a package, or None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def versions() -> dict[str, str | None]:
    """Return calibrant, Python, the platform and every library with its version."""
    import platform

    return {
        "calibrant": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        **{name: installed_version(name) for name in LIBRARIES},
    }
