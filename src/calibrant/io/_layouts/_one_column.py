"""A single column: positive-class probabilities, lists of probabilities, or a confidence."""

from __future__ import annotations

from calibrant.io._layouts._found import Found
from calibrant.io._layouts._named_columns import exported, named_columns
from calibrant.io._layouts._names import (
    CONFIDENCE_NAMES,
    CORRECT_NAMES,
    GRADE_NAMES,
    LOG_NAMES,
    LOGIT_NAMES,
    MARGIN_NAMES,
    PREDICTED_NAMES,
    PROB_NAMES,
    SCORE_NAMES,
    key,
)
from calibrant.io._layouts._sight import Sight
from calibrant.io._npz import ONLY

_TWO = 2
#: unambiguous names of logits
_CERTAIN_LOGITS = tuple(name for name in LOGIT_NAMES if name not in ("z", *MARGIN_NAMES))


def probability_column(sight: Sight) -> list[Found]:
    """Find a column called p, prob or score: of the positive class, or with lists for all."""
    names = [name for name in sight.free if key(name) in PROB_NAMES or name == ONLY]
    predicted = sight.predicted()
    if predicted and any(len(found.columns) > 1 for found in named_columns(sight)):
        names = [name for name in names if key(name) not in SCORE_NAMES]  # of the predicted one
    if len(sight.label_values) > _TWO and any(len(f.columns) > _TWO for f in exported(sight)):
        names = [name for name in names if sight.is_wide(name)]
    one = predicted[0] if len(predicted) == 1 else None
    wide = [name for name in names if sight.is_wide(name)]
    if len(wide) == 1:  # the lists say more than their maximum
        names = wide
    return [Found((name,), logits=sight.options.logits,
                  predicted=None if sight.is_wide(name) else one) for name in names]  # fmt: skip


def confidence_column(sight: Sight) -> list[Found]:
    """Find a confidence next to predicted labels or labels of correctness."""
    names = [name for name in sight.named(CONFIDENCE_NAMES) if not sight.is_wide(name)]
    logs = [] if names else [name for name in sight.free if is_log(sight, name)]
    hits = (*CORRECT_NAMES, *GRADE_NAMES)
    is_right = any(key(label) in hits and sight.says_right(label) for label in sight.labels)
    predicted = sight.predicted()
    if not is_right and sight.options.predicted is None and len(predicted) != 1:
        return []
    of = None if is_right or sight.options.predicted is not None else predicted[0]
    return [Found((name,), predicted=of, logs=name in logs) for name in (*names, *logs)]


def is_log(sight: Sight, name: str) -> bool:
    """Return whether a column contains single log-probabilities, by its name and its numbers."""
    return (
        key(name) in LOG_NAMES
        and not sight.is_wide(name)
        and all(number <= 0 for number in sight.look(name).numbers)
    )


def prediction_column(sight: Sight) -> list[Found]:
    """Find predictions that are fractions, and thus probabilities of the positive class."""
    names = sight.named(PREDICTED_NAMES)
    names = [name for name in names if sight.look(name).is_fraction or sight.is_wide(name)]
    predicted = sight.predicted()  # Weka has columns predicted and prediction
    one = predicted[0] if len(predicted) == 1 else None
    return [Found((n,), predicted=None if sight.is_wide(n) else one) for n in names]


def wide_column(sight: Sight) -> list[Found]:
    """Find a column of any name with lists of numbers."""
    names = [name for name in sight.free if sight.is_wide(name)]
    certain = [name for name in names if key(name) in _CERTAIN_LOGITS]
    logits = sight.options.logits
    return [Found((name,), logits=logits or name in certain) for name in names]


def nameless_column(sight: Sight) -> list[Found]:
    """Find the only column of a file without names, with labels in another file."""
    only = not sight.table.has_names and len(sight.free) == 1
    return [Found((sight.free[0],), logits=sight.options.logits)] if only else []


def logit_column(sight: Sight) -> list[Found]:
    """Find a column called logits."""
    names = LOGIT_NAMES if sight.options.logits else _CERTAIN_LOGITS
    found = sight.named(names)
    if not sight.options.logits:  # a single log-probability is not a logit
        found = [name for name in found if sight.is_wide(name) or key(name).endswith("t")
                 or key(name) == "logits"]  # fmt: skip
    return [Found((name,), logits=True) for name in found]
