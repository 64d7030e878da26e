"""Refusal of memory limits so small that libraries would end the process or hang."""

from __future__ import annotations

import os

from calibrant.cli._exit import Failure

#: minimum bytes of address space of any command: with less, OpenBLAS ends the process, or may hang
#: while SciPy is loaded
NEEDED = 1 << 30


def demand_memory() -> None:
    """Refuse a memory limit that is too small, before NumPy is loaded."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    finite = [limit for limit in limits if limit != resource.RLIM_INFINITY]
    if not finite:
        return
    if min(finite) < NEEDED:
        raise Failure(
            f"there is not enough memory: this process may use {min(finite) >> 20} MB, and needs "
            f"{NEEDED >> 20} MB to start. Raise the limit (`ulimit -v` or `ulimit -d`)"
        )
    # threads of OpenBLAS, which commands do not use, would reserve 80 MB for each processor
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
