"""The native core: whether it is installed, and which implementation is active.

Every native routine has an equivalent NumPy twin. Callers call `active()` once, before they
start threads, and use the twin if it returns ``None``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from typing import Any, Literal, get_args

from calibrant._native._typing import BoolArray, FloatArray, IntArray
from calibrant._output import publish, versions
from calibrant.errors import EnvironmentVariableError

try:
    _core: Any = import_module("calibrant._native._core")
except ImportError:  # built without a compiler
    _core = None

CoreName = Literal["native", "numpy"]
#: the instruction sets that can be requested
SIMD = ("baseline", "avx2", "avx512")

_choice: ContextVar[CoreName | None] = ContextVar("calibrant_core", default=None)


def active() -> Any:
    """Return the native module, or ``None`` if the NumPy twin is active.

    The environment variable ``CALIBRANT_CORE`` (``native`` or ``numpy``) chooses the core.
    """
    choice = _choice.get() or _check_environment(os.environ.get("CALIBRANT_CORE"))
    if choice == "numpy":
        return None
    if choice == "native":
        _require_core()
    return _core


@contextmanager
def using(core: CoreName) -> Iterator[None]:
    """Compute with one implementation inside a ``with`` block."""
    if core == "native":
        _require_core()
    token = _choice.set(core)
    try:
        yield
    finally:
        _choice.reset(token)


def core_info() -> dict[str, str]:
    """Return which core is in use, and its instruction set.

    Returns
    -------
    dict
        The keys are ``core`` and ``simd``.

    Examples
    --------
    >>> import calibrant
    >>> sorted(calibrant.core_info())
    ['core', 'simd']
    """
    core = active()
    if core is None:
        return {"core": "numpy", "simd": "whatever NumPy uses"}
    return {"core": "native", "simd": core.simd()}


def show_versions() -> None:
    """Print the versions, platform and core for a bug report.

    Examples
    --------
    >>> import calibrant as cal
    >>> cal.show_versions()  # doctest: +ELLIPSIS
    calibrant   ...
    """
    facts = {**versions(), **core_info()}
    width = max(map(len, facts))
    print("\n".join(f"{name:<{width}}  {fact or 'not installed'}" for name, fact in facts.items()))


@cache  # the native core also reads the instruction set once
def _check_environment(core: str | None) -> str | None:
    simd = os.environ.get("CALIBRANT_SIMD")
    for name, allowed, choice in (
        ("CALIBRANT_SIMD", SIMD, simd),
        ("CALIBRANT_CORE", get_args(CoreName), core),
    ):
        if choice and choice not in allowed:
            raise EnvironmentVariableError(name, allowed, choice)
    return core


def _require_core() -> None:
    if _core is None:
        raise RuntimeError(
            "the native core is not installed; reinstall calibrant where a C++17 compiler is found"
        )


publish("calibrant", globals(), ["core_info", "show_versions"])
