"""Tell whether a probabilistic classifier can be trusted."""

from calibrant._native import core_info

__all__ = ["core_info"]
