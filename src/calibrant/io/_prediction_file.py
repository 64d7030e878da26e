"""What reading a file gives: predictions, and what every column was taken for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant._predictions import Predictions
    from calibrant.io._table import Array


@dataclass(frozen=True)
class Understanding:
    r"""What a file was taken for; every field is plain.

    Examples
    --------
    >>> import os, tempfile
    >>> from calibrant.io import read_predictions
    >>> path = os.path.join(tempfile.mkdtemp(), "preds.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("label,p_cat,p_dog,site\ncat,0.7,0.3,north\ndog,0.2,0.8,south\n")
    >>> understood = read_predictions(path).understood
    >>> understood.label_columns, understood.probability_columns, understood.ignored_columns
    (('label',), ('p_cat', 'p_dog'), ('site',))
    """

    file: str
    format: str
    labels_file: str | None
    label_columns: tuple[str, ...]
    probability_columns: tuple[str, ...]
    weight_column: str | None
    id_column: str | None
    group_columns: tuple[str, ...]
    ignored_columns: tuple[str, ...]
    dtype: str
    logits: bool
    normalized: bool
    one_based: bool
    row_sums: tuple[float, float] | None  # smallest and largest, as they are in the file

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
        }


@dataclass(frozen=True, eq=False)
class PredictionFile:
    r"""Predictions from a file, and what belongs to their rows.

    Attributes
    ----------
    predictions : Predictions
    understood : Understanding
        What every column was taken for.
    groups : mapping from the name of a column to its values, shape (n_samples,)
    ids : ndarray of shape (n_samples,) or None

    Examples
    --------
    >>> import os, tempfile
    >>> from calibrant.io import read_predictions
    >>> path = os.path.join(tempfile.mkdtemp(), "preds.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("label,p_cat,p_dog,site\ncat,0.7,0.3,north\ndog,0.2,0.8,south\n")
    >>> file = read_predictions(path, groups=["site"])
    >>> file.predictions, file.groups["site"].tolist()
    (Predictions(n_samples=2, n_classes=2, classes=('cat', 'dog')), ['north', 'south'])
    """

    predictions: Predictions
    understood: Understanding
    groups: Mapping[str, Array] = field(default_factory=dict)
    ids: Array | None = None
