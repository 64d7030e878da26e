"""Paired comparison of models on the same rows."""

from __future__ import annotations

from calibrant._compare._compare import compare
from calibrant._compare._difference import Difference, Equivalence
from calibrant._compare._result import ComparisonResult

__all__ = ["ComparisonResult", "Difference", "Equivalence", "compare"]
