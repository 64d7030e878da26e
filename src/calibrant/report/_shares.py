"""The shares of a report's parts in its running time, for a realistic progress bar.

Measured in nanoseconds for each row and label set, with 300,000 rows.
"""

from __future__ import annotations

#: the default test
TEST = 93.0
#: localization of up to four classes and of more, repair, and the other measures
_WHERE, _WHERE_OF_MANY, _REPAIR, _MEASURES = 36.0, 90.0, 93.0, 7.0
#: a reliability diagram, and the simplex of three classes
_DIAGRAM, _SIMPLEX = 5.0, 3.0


def stage_shares(n_classes: int, n_diagrams: int, *, repair: bool) -> list[float]:
    """Return the relative times of a model's stages, in order."""
    where = _WHERE if n_classes <= 4 else _WHERE_OF_MANY
    pictures = _DIAGRAM * (1 + n_diagrams) + _SIMPLEX * (n_classes == 3)
    return [TEST, where, *([_REPAIR] if repair else []), _MEASURES, pictures]
