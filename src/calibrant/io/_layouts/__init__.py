"""The layouts of tables: a list of rules, grouped by file.

A rule looks at the column names and some cells, and returns candidates for the probabilities. All
rules of a tier are applied; if there is more than one candidate, the file is refused and the error
lists them. A tier applies only if no earlier one has a candidate. To add a layout, write a function
and add it to a tier.
"""

from __future__ import annotations

from calibrant._predictions import LOGIT_PREFIXES, PROB_PREFIXES
from calibrant.errors import Argument, InputError, Problem, Words
from calibrant.io._errors import listed
from calibrant.io._layouts._class_columns import (
    class_columns,
    classes_around_labels,
    columns_around_labels,
)
from calibrant.io._layouts._found import Found, Layout
from calibrant.io._layouts._named_columns import (
    by_prefix,
    exported_column,
    exported_columns,
    further_column,
    logit_columns,
    named_columns,
)
from calibrant.io._layouts._names import (
    CONFIDENCE_NAMES,
    CORRECT_NAMES,
    GRADE_NAMES,
    LABEL_NAMES,
    LISTS_OF_NAMES,
    MARGIN_NAMES,
    ONE_HOT_PREFIXES,
    PREDICTED_NAMES,
    ROW_NAMES,
    SCORE_NAMES,
    key,
    numbers_beside,
)
from calibrant.io._layouts._one_column import (
    confidence_column,
    is_log,
    logit_column,
    nameless_column,
    prediction_column,
    probability_column,
    wide_column,
)
from calibrant.io._layouts._sight import Sight
from calibrant.io._options import LOGITS, PROB

#: rules by column names, the most certain first
TIERS: tuple[tuple[Layout, ...], ...] = (
    (named_columns, probability_column),
    (exported_columns,),
    (logit_columns, logit_column),
    (wide_column,),
    (confidence_column,),
    (exported_column, prediction_column),
    (columns_around_labels,),
    (class_columns, nameless_column),
    (further_column,),
)
#: the same if the user says that the columns are logits
LOGIT_TIERS: tuple[tuple[Layout, ...], ...] = (
    (logit_columns, logit_column),
    (wide_column,),
    (named_columns, probability_column),
    (exported_columns,),
    (class_columns, nameless_column),
)


def find_probabilities(sight: Sight) -> Found:
    """Return the only meaning of a table, or raise an error that lists the candidates."""
    for tier in LOGIT_TIERS if sight.options.logits else TIERS:
        found = [one for layout in tier for one in layout(sight)]
        if len(found) > 1:
            raise _ambiguous(sight, found)
        if found:
            return found[0]
    raise _nothing(sight)


def _ambiguous(sight: Sight, found: list[Found]) -> InputError:
    told = " or ".join(f"({listed(one.columns)})" for one in found)
    return _refuse(
        sight,
        f"the probabilities could be {told}",
        ("name them, for example ", Argument("prob", ",".join(found[0].columns[:3]))),
    )


def _nothing(sight: Sight) -> InputError:
    confidence = sight.named(CONFIDENCE_NAMES)
    if confidence:
        return _refuse(
            sight,
            f"{confidence[0]!r} could be the confidence in a predicted label, which is missing, "
            "or the probability of the positive class",
            ("if it is the latter, pass ", Argument("prob", confidence[0])),
        )
    margin = sight.named(MARGIN_NAMES)
    if len(margin) == 1:
        return _refuse(
            sight,
            f"there is no probability column; {margin[0]!r} could hold logits",
            ("if it does, pass ", LOGITS),
        )
    what = "logit" if sight.options.logits else "probability"
    prefix = LOGIT_PREFIXES[0] if sight.options.logits else PROB_PREFIXES[0]
    return _refuse(
        sight,
        f"there is no {what} column; the columns are {listed(sight.table.column_names)}",
        (f"call them {prefix}CLASS, one per class, or name them with ", _likely(sight)),
    )


def _likely(sight: Sight) -> Argument:
    """Return the argument with the only column of fractions."""
    found = [name for name in sight.free if sight.look(name).is_fraction]
    return Argument("prob", found[0]) if len(found) == 1 else PROB


def _refuse(sight: Sight, rule: Words, remedy: Words) -> InputError:
    return InputError(Problem.COLUMNS, rule, source=sight.table.name, remedy=remedy)
