"""The calibration test: choose a method, run it, describe the result."""

from calibrant._calibration_test._cost import Cost, estimate_cost
from calibrant._calibration_test._details_text import dependence_line, impossible_note
from calibrant._calibration_test._front import calibration_test
from calibrant._calibration_test._result import ALPHA, CalibrationTestResult
from calibrant._calibration_test._rows_needed import (
    PLANNED,
    RowsNeeded,
    rounded_rows,
    rows_needed,
)
from calibrant._calibration_test._story import is_clear
from calibrant._output import publish

publish(
    "calibrant",
    globals(),
    [
        "CalibrationTestResult",
        "Cost",
        "RowsNeeded",
        "calibration_test",
        "estimate_cost",
        "rows_needed",
    ],
)
