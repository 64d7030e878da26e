"""Numeric options that refuse NaN like any other number out of range."""

from __future__ import annotations

import math
from typing import Any

import click


class RealRange(click.FloatRange):
    """A range of finite numbers; comparisons alone would let NaN pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or refuse it."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


#: probabilities that are neither 0 nor 1
SHARE = RealRange(0, 1, min_open=True, max_open=True)
POSITIVE = RealRange(min=0, min_open=True)
