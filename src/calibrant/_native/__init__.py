"""The native core: whether it is there, and which implementation computes.

Every native routine has a NumPy twin of the same meaning. Callers ask `active()`
once, before they hand work to threads, and fall back to the twin on ``None``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, Literal, cast, get_args

from calibrant._native._typing import BoolArray, FloatArray, IntArray

try:
    _core: Any = import_module("calibrant._native._core")
except ImportError:  # built without a compiler
    _core = None

CoreName = Literal["native", "numpy"]
#: the instruction sets that can be asked for
SIMD = ("baseline", "avx2", "avx512")

_choice: ContextVar[CoreName | None] = ContextVar("calibrant_core", default=None)


def active() -> Any:
    """Return the native module, or ``None`` where the NumPy twin computes.

    The environment variable ``CALIBRANT_CORE`` (``native`` or ``numpy``) chooses the core.
    """
    choice = _choice.get() or _choice_of_environment()
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
    """Say which core computes and which instruction set it uses.

    Examples
    --------
    >>> import calibrant
    >>> sorted(calibrant.core_info())
    ['core', 'simd']
    """
    core = active()
    if core is None:
        _check_simd()  # which the native core does itself
        return {"core": "numpy", "simd": "whatever NumPy uses"}
    return {"core": "native", "simd": core.simd()}


def _choice_of_environment() -> CoreName | None:
    choice = os.environ.get("CALIBRANT_CORE")
    if choice and choice not in get_args(CoreName):
        raise ValueError(
            f"the environment variable CALIBRANT_CORE must be native or numpy; got {choice!r}"
        )
    return cast("CoreName", choice) if choice else None


def _check_simd() -> None:
    choice = os.environ.get("CALIBRANT_SIMD")
    if choice and choice not in SIMD:
        raise ValueError(
            "the environment variable CALIBRANT_SIMD must be "
            f"{', '.join(SIMD[:-1])} or {SIMD[-1]}; got {choice!r}"
        )


def _require_core() -> None:
    if _core is None:
        raise RuntimeError(
            "the native core is not installed; reinstall calibrant where a C++17 compiler is found"
        )


core_info.__module__ = "calibrant"
