"""The caller's settings that workers need: the active core and the limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from calibrant import _native
from calibrant._execution._blas import single_threaded_blas
from calibrant._execution._limits import Limits, limits, using_limits
from calibrant._native import CoreName


@dataclass(frozen=True)
class Circumstances:
    """The settings sent with tasks, because workers do not share the caller's context."""

    core: CoreName
    limits: Limits

    @classmethod
    def here(cls) -> Circumstances:
        """Return the settings of the caller."""
        return cls("numpy" if _native.active() is None else "native", limits())

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Compute with the caller's settings, on one thread for each task."""
        with single_threaded_blas(), _native.using(self.core), using_limits(self.limits):
            yield
