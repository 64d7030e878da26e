"""Paired comparison of models on the same rows."""

from __future__ import annotations

from calibrant._followup.compare._align import align
from calibrant._followup.compare._compare import compare
from calibrant._followup.compare._difference import (
    MEASURES,
    TITLES,
    Difference,
    Equivalence,
    check_margins,
)
from calibrant._followup.compare._result import ComparisonResult
from calibrant._output import publish

publish("calibrant", globals(), ["ComparisonResult", "Difference", "Equivalence", "compare"])
