"""`Predictions`: labels and probabilities, checked once and then read-only."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._output import counted
from calibrant._predictions._constructors import Constructors, read_sources
from calibrant._predictions._labels import encode
from calibrant._predictions._lenses import Lenses
from calibrant._predictions._messages import listed
from calibrant._predictions._pair_weights import pair_weights
from calibrant._predictions._probabilities import check_probabilities
from calibrant._predictions._row_facts import check_ordered, check_row_facts
from calibrant.errors import DataError, Problem


@dataclass(frozen=True, eq=False, repr=False, init=False, slots=True)
class Predictions(Constructors, Lenses):
    r"""Labels and predicted probabilities of a classifier, checked once.

    Every public function of calibrant accepts a `Predictions` in place of ``y_true, y_prob``.
    Labels and probabilities are matched by position; pandas indexes that contradict each other are
    refused. Nothing is clipped, dropped, sorted or guessed: ambiguous data raise an error that
    names the remedy.

    Cost: three passes over `y_prob`. A C-contiguous float64 array is not copied but kept as a
    read-only view, so later changes to that array are visible here.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Integers 0..m−1, booleans, names of classes, or exact one-hot rows. If the classes have
        names, labels are matched to them: 2 is ``class_2``, True is ``yes``, and the columns of a
        one-hot frame are matched by name.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        Each row is a distribution. A single column is the probability of the positive class and
        becomes ``[1 - p, p]``. NumPy arrays, lists, pandas, polars and pyarrow objects, and torch
        and other tensors are accepted.
    classes : sequence of n_classes names, optional
        Names in the order of the columns (a set has no order and is refused); by default the
        column names of a frame, else 0..m−1. With one column the last of the two is the positive
        class.
    pos_label : label, optional
        The label whose probability is in the single column (or the last of two); by default the
        class in the name of that column, else 1.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows: finite, non-negative, not all zero.
    clusters : array-like of shape (n_samples,), optional
        Cluster ids of any type, for example patients: rows with the same id may depend on each
        other in any way. Tests, intervals and bands then work between clusters.
    ordered : bool, default False
        Whether the classes are grades, such as stages or stars, with columns in increasing order.
        The default test then also tests P(class at least c) for every c, and the RPS is reported.
        For two classes it changes nothing.
    normalize : bool, default False
        Divide every row by its sum, even if that is far from 1.

    Attributes
    ----------
    y_true : ndarray of int64, shape (n_samples,), read-only
        Class indices 0..m−1.
    y_prob : ndarray of float64, shape (n_samples, n_classes), C-contiguous, read-only
        Probabilities.
    sample_weight : ndarray of float64, shape (n_samples,), read-only, or None
        Weights of the rows.
    clusters : ndarray of int64, shape (n_samples,), read-only, or None
        A number for every row, the hash of its cluster id.
    classes : tuple of n_classes names
        Names of the classes.
    ranked : bool
        Whether class 1 is each row's predicted class, as after `top_label` and `top_k`.
    ordered : bool
        Whether the classes are in increasing order; False after every lens.
    soft : bool
        Whether rows are shares of soft labels, from `from_soft_labels`.

    Warns
    -----
    RowSumWarning
        Row sums are off by more than rounding (1e-6 in float64, 1e-5 in float32, 2e-3 in
        float16, 8e-3 in bfloat16) but by at most 1e-2. These rows are divided by their sums.

    Notes
    -----
    Residuals are :math:`r_i = e_{y_i} - p_i`. Rows within the tolerance are kept unchanged, because
    published digits depend on it.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> predictions = Predictions(["cat", "dog"], [[0.8, 0.2], [0.4, 0.6]], classes=["cat", "dog"])
    >>> predictions
    Predictions(n_samples=2, n_classes=2, classes=('cat', 'dog'))
    >>> predictions.residuals
    array([[ 0.2, -0.2],
           [-0.4,  0.4]])

    The labels are matched to the names of the columns: cat is class 0.
    """

    y_true: IntArray
    y_prob: FloatArray
    sample_weight: FloatArray | None
    classes: tuple[Hashable, ...]
    ranked: bool
    clusters: IntArray | None
    ordered: bool
    soft: bool

    def __init__(
        self,
        y_true: Any,
        y_prob: Any,
        *,
        classes: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        ordered: bool = False,
        normalize: bool = False,
    ) -> None:
        labels, source = read_sources(y_true, y_prob, "y_prob", sample_weight, clusters)
        table = check_probabilities(source, normalize=normalize)
        codes, names = encode(labels, source, table, classes, pos_label)
        weights, together = check_row_facts(sample_weight, clusters, len(table))
        self._set(codes, table, weights, names, clusters=together, ordered=check_ordered(ordered))

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return len(self.y_prob)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def has_order(self) -> bool:
        """Whether there are more than two classes, in increasing order."""
        return self.ordered and self.n_classes > 2

    @property
    def labels(self) -> np.ndarray[Any, Any]:
        """The labels as names of classes, shape (n_samples,)."""
        kinds = {type(name) for name in self.classes}
        if len(kinds) == 1 and kinds <= {int, str, bool, float}:
            table = np.array(self.classes)
            if table.tolist() == list(self.classes):  # NumPy drops zeros at the end of a text
                return table[self.y_true]
        names = np.empty(self.n_classes, dtype=object)
        for i, name in enumerate(self.classes):
            names[i] = name
        return names[self.y_true]

    @property
    def distributions(self) -> FloatArray:
        """The rows of `y_prob` divided by their sums, a fresh array each time."""
        return np.asarray(self.y_prob / self.y_prob.sum(axis=1, keepdims=True))

    @property
    def residuals(self) -> FloatArray:
        """The residuals e_y − p, shape (n_samples, n_classes), a fresh array each time."""
        residuals = 0.0 - self.y_prob
        residuals[np.arange(self.n_samples), self.y_true] += 1.0
        return residuals

    @property
    def weights(self) -> FloatArray:
        """The sample weights, or ones."""
        return np.ones(self.n_samples) if self.sample_weight is None else self.sample_weight

    @property
    def cluster_index(self) -> IntArray | None:
        """The clusters numbered 0, 1, …, shape (n_samples,); None if there are none."""
        if self.clusters is None:
            return None
        return np.unique(self.clusters, return_inverse=True)[1].astype(np.int64, copy=False)

    @property
    def n_clusters(self) -> int:
        """The number of clusters, or of rows if there are no clusters."""
        return self.n_samples if self.clusters is None else len(np.unique(self.clusters))

    @property
    def pair_weight(self) -> float:
        """Σ_{i≠j} w_i w_j, which is n(n − 1) without weights."""
        if self.sample_weight is None:
            return float(self.n_samples * (self.n_samples - 1))
        return float(pair_weights(self.sample_weight))

    @property
    def weighted_residuals(self) -> FloatArray:
        """The residuals times the sample weights, a fresh array each time."""
        residuals = self.residuals
        if self.sample_weight is not None:
            residuals *= self.sample_weight[:, None]
        return residuals

    def with_labels(self, codes: IntArray) -> Predictions:
        """Return the same predictions with other class indices, unchecked (for resampling)."""
        return replace_parts(self, y_true=codes)

    def take(self, rows: Any) -> Predictions:
        """Select rows by an index array, a boolean mask or a slice.

        Examples
        --------
        >>> from calibrant import Predictions
        >>> Predictions([0, 1, 1], [0.2, 0.5, 0.9]).take([2, 0]).y_prob[:, 1]
        array([0.9, 0.2])
        """
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.ndim != 1:
                raise ValueError(
                    f"`rows` must be a slice or a vector of row numbers; got shape {rows.shape}."
                )
            rows = rows if rows.size else rows.astype(np.int64)
        codes = self.y_true[rows]
        if not len(codes):
            raise ValueError("`rows` must select at least one row; got none.")
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        together = None if self.clusters is None else self.clusters[rows]
        return replace_parts(
            self,
            y_true=codes,
            y_prob=np.ascontiguousarray(self.y_prob[rows]),
            sample_weight=weights,
            clusters=together,
        )

    def without_clusters(self) -> Predictions:
        """Return the same rows as independent rows; shares of an item stay clustered."""
        if self.soft:
            raise ValueError("soft labels need clusters: the shares of an item belong together.")
        return replace_parts(self, clusters=None)

    def require_rows(self, minimum: int, what: str) -> None:
        """Raise ``DataError`` if there are fewer than `minimum` rows.

        Examples
        --------
        >>> from calibrant import Predictions
        >>> Predictions([1], [0.5]).require_rows(2, "the unbiased SKCE")
        Traceback (most recent call last):
            ...
        calibrant.errors.DataError: the unbiased SKCE needs at least 2 rows; got 1.
        """
        if self.n_samples < minimum:
            rule = f"{what} needs at least {counted(minimum, 'row')}"
            raise DataError(Problem.TOO_FEW_ROWS, rule, got=str(self.n_samples))

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        weighted = "" if self.sample_weight is None else ", weighted"
        together = "" if self.clusters is None else f", n_clusters={self.n_clusters}"
        order = (", ordered" if self.ordered else "") + (", soft" if self.soft else "")
        return (
            f"Predictions(n_samples={self.n_samples}, n_classes={self.n_classes}, "
            f"classes=({listed(self.classes)}){order}{together}{weighted})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # unpickled arrays would be writable
        parts = (self.y_true, self.y_prob, self.sample_weight, self.classes)
        known = {name: getattr(self, name) for name in ("ranked", "clusters", "ordered", "soft")}
        return partial(assemble, **known), parts

    @staticmethod
    def _of(*parts: Any, **more: Any) -> Predictions:
        return assemble(*parts, **more)

    def _seen_as(
        self,
        y_true: IntArray,
        y_prob: FloatArray,
        classes: tuple[Hashable, ...],
        *,
        ranked: bool = False,
    ) -> Predictions:
        return replace_parts(
            self, y_true=y_true, y_prob=y_prob, classes=classes, ranked=ranked, ordered=False
        )

    def _set(
        self,
        y_true: IntArray,
        y_prob: FloatArray,
        sample_weight: FloatArray | None,
        classes: tuple[Hashable, ...],
        *,
        ranked: bool = False,
        clusters: IntArray | None = None,
        ordered: bool = False,
        soft: bool = False,
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "y_true", _read_only(y_true))
        set_field(self, "y_prob", _read_only(y_prob))
        weights = None if sample_weight is None else _read_only(sample_weight)
        set_field(self, "sample_weight", weights)
        set_field(self, "classes", classes)
        set_field(self, "ranked", ranked)
        set_field(self, "clusters", clusters if clusters is None else _read_only(clusters))
        set_field(self, "ordered", ordered)
        set_field(self, "soft", soft)


def assemble(
    y_true: IntArray,
    y_prob: FloatArray,
    sample_weight: FloatArray | None,
    classes: tuple[Hashable, ...],
    *,
    ranked: bool = False,
    clusters: IntArray | None = None,
    ordered: bool = False,
    soft: bool = False,
) -> Predictions:
    """Assemble a `Predictions` from checked parts."""
    predictions = object.__new__(Predictions)
    parts: dict[str, Any] = {"clusters": clusters, "ordered": ordered, "soft": soft}
    predictions._set(y_true, y_prob, sample_weight, classes, ranked=ranked, **parts)
    return predictions


def replace_parts(rows: Predictions, **parts: Any) -> Predictions:
    """Return predictions with some checked parts replaced."""
    kept = {field.name: getattr(rows, field.name) for field in fields(rows)}
    return assemble(**{**kept, **parts})


def _read_only(array: Any) -> Any:
    """Return a contiguous read-only view for the native core; the array keeps its flags."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
