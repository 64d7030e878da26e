"""Conversion of the arguments of public functions, two arrays or one `Predictions`."""

from __future__ import annotations

from typing import Any

from calibrant._predictions._clusters import check_clusters
from calibrant._predictions._predictions import Predictions, replace_parts
from calibrant._predictions._row_facts import check_ordered
from calibrant.errors import DataError, Problem


def as_predictions(
    y_true: Any,
    y_prob: Any = None,
    *,
    classes: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    ordered: bool = False,
    normalize: bool = False,
) -> Predictions:
    """Return `Predictions` made from the arrays, or the one that was passed.

    `clusters` and `ordered` may be passed with a `Predictions` that has none.

    Examples
    --------
    >>> predictions = as_predictions([0, 1], [0.25, 0.75])
    >>> as_predictions(predictions) is predictions
    True
    """
    if not isinstance(y_true, Predictions):
        if y_prob is None:
            raise DataError(
                Problem.MISSING,
                "is missing",
                argument="y_prob",
                remedy="pass `y_true` and `y_prob`, or one `Predictions`",
            )
        return Predictions(
            y_true,
            y_prob,
            classes=classes,
            pos_label=pos_label,
            sample_weight=sample_weight,
            clusters=clusters,
            ordered=ordered,
            normalize=normalize,
        )
    predictions = y_true
    if clusters is not None and predictions.clusters is None:
        codes = check_clusters(clusters, predictions.n_samples)
        predictions, clusters = replace_parts(predictions, clusters=codes), None
    if check_ordered(ordered) and not predictions.ordered:
        predictions = replace_parts(predictions, ordered=True)
    given = {
        "y_prob": y_prob is not None,
        "classes": classes is not None,
        "pos_label": pos_label is not None,
        "sample_weight": sample_weight is not None,
        "clusters": clusters is not None,
        "normalize": normalize,
    }
    extra = [name for name, is_given in given.items() if is_given]
    if extra:
        raise DataError(
            Problem.REPEATED,
            "a Predictions comes alone",
            got=f"{', '.join(f'`{name}`' for name in extra)} as well",
            remedy="give them to `Predictions(y_true, y_prob, ...)`",
        )
    return predictions
