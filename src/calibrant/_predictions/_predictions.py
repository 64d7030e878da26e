"""Predictions: labels and probability vectors, checked once and read-only from then on."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from calibrant._predictions._arrays import Source, read
from calibrant._predictions._labels import encode
from calibrant._predictions._lenses import (
    check_groups,
    induced_probabilities,
    merged,
    position,
    top_ranks,
)
from calibrant._predictions._logits import softmax
from calibrant._predictions._messages import listed
from calibrant._predictions._names import column_names
from calibrant._predictions._probabilities import check_probabilities
from calibrant._predictions._shapes import check_shapes
from calibrant._predictions._weights import check_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from calibrant._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False, init=False, slots=True)
class Predictions:
    r"""Labels and predicted probabilities of a classifier, checked once.

    Every public function of calibrant takes a `Predictions` in place of ``y_true, y_prob``.
    Rows of labels and probabilities belong together by position. Nothing is clipped, dropped,
    sorted or guessed: what cannot be read with certainty is refused with the remedy.

    Cost: three passes over `y_prob`; no copy of a C-contiguous float64 array, which is kept
    as a read-only view, so later changes of that array show here.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Integers 0..m−1, booleans, names of classes, or exact one-hot rows.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        Rows are distributions. One column is the probability of the positive class and becomes
        ``[1 - p, p]``. NumPy, lists, pandas, polars, pyarrow, torch and other tensors are read.
    classes : sequence of n_classes names, optional
        Names in the order of the columns; by default the column names of a frame, else 0..m−1.
        With one column the last of the two is the positive class.
    pos_label : label, optional
        The label whose probability a single column (or the last of two) is.
    sample_weight : array-like of shape (n_samples,), optional
        Finite, non-negative, not all zero.
    normalize : bool, default False
        Divide every row by its sum, whatever it is.

    Attributes
    ----------
    y_true : ndarray of int64, shape (n_samples,), read-only
        Class indices 0..m−1.
    y_prob : ndarray of float64, shape (n_samples, n_classes), C-contiguous, read-only
    sample_weight : ndarray of float64, shape (n_samples,), read-only, or None
    classes : tuple of n_classes names

    Warns
    -----
    RowSumWarning
        Row sums are off by more than rounding (1e-6 in float64, 1e-5 in float32, 2e-3 in
        float16, 8e-3 in bfloat16) but by at most 1e-2: those rows are divided by their sums.

    Notes
    -----
    Residuals are :math:`r_i = e_{y_i} - p_i`. Rows within the tolerance are kept untouched:
    published digits depend on it.

    Examples
    --------
    >>> predictions = Predictions(["cat", "dog"], [[0.8, 0.2], [0.4, 0.6]], classes=["cat", "dog"])
    >>> predictions
    Predictions(n_samples=2, n_classes=2, classes=('cat', 'dog'))
    >>> predictions.residuals
    array([[ 0.2, -0.2],
           [-0.4,  0.4]])

    The labels were found among the names of the columns: cat is class 0.
    """

    y_true: IntArray
    y_prob: FloatArray
    sample_weight: FloatArray | None
    classes: tuple[Hashable, ...]

    def __init__(
        self,
        y_true: Any,
        y_prob: Any,
        *,
        classes: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        normalize: bool = False,
    ) -> None:
        labels, source = _sources(y_true, y_prob, "y_prob")
        table = check_probabilities(source, normalize=normalize)
        codes, names = encode(labels, source, table.shape[1], classes, pos_label)
        weights = None if sample_weight is None else check_weights(sample_weight, len(table))
        self._set(codes, table, weights, names)

    @classmethod
    def from_logits(
        cls,
        y_true: Any,
        logits: Any,
        *,
        temperature: float = 1.0,
        classes: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
    ) -> Predictions:
        r"""Make predictions from logits, :math:`p = \mathrm{softmax}(z / T)`.

        Cost O(n·m). Logits of any magnitude are safe; −∞ is a probability of 0.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        logits : array-like of shape (n_samples, n_classes) or (n_samples,)
            One column is the logit of the positive class.
        temperature : float, default 1.0
            Positive; above 1 the predictions become less confident.
        classes, pos_label, sample_weight
            As in `Predictions`.

        Returns
        -------
        Predictions

        Examples
        --------
        >>> Predictions.from_logits([1, 0], [[1000.0, 1000.0], [0.0, -1000.0]]).y_prob
        array([[0.5, 0.5],
               [1. , 0. ]])

        Equal logits are equal probabilities, however large they are.
        """
        labels, source = _sources(y_true, logits, "logits")
        table = softmax(source, temperature)
        codes, names = encode(labels, source, table.shape[1], classes, pos_label)
        weights = None if sample_weight is None else check_weights(sample_weight, len(table))
        return _assemble(codes, table, weights, names)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None
    ) -> Predictions:
        """Make predictions with a fitted classifier, any object with `predict_proba`, `classes_`.

        Parameters
        ----------
        estimator : object
            Fitted; ``estimator.predict_proba(X)`` gives columns in the order of
            ``estimator.classes_``.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, each one of ``estimator.classes_``.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        Predictions

        Examples
        --------
        >>> class Coin:
        ...     classes_ = ("heads", "tails")
        ...     def predict_proba(self, X):
        ...         return [[0.5, 0.5] for _ in X]
        >>> Predictions.from_estimator(Coin(), [[0], [0]], ["tails", "heads"]).y_true
        array([1, 0])

        Labels are found among the classes of the estimator: tails is class 1.
        """
        for attribute in ("predict_proba", "classes_"):
            if not hasattr(estimator, attribute):
                raise TypeError(
                    f"estimator must be a fitted classifier with predict_proba and classes_; "
                    f"{type(estimator).__name__} has no {attribute}. Fit it first, or use "
                    "Predictions(y_true, y_prob) or Predictions.from_logits"
                )
        y_prob = estimator.predict_proba(X)
        return cls(y, y_prob, classes=estimator.classes_, sample_weight=sample_weight)

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return len(self.y_prob)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def labels(self) -> np.ndarray[Any, Any]:
        """The labels as names of classes, shape (n_samples,)."""
        kinds = {type(name) for name in self.classes}
        if len(kinds) == 1 and kinds <= {int, str, bool, float}:
            return np.array(self.classes)[self.y_true]
        names = np.empty(self.n_classes, dtype=object)
        for i, name in enumerate(self.classes):
            names[i] = name
        return names[self.y_true]

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
    def weighted_residuals(self) -> FloatArray:
        """The residuals times the sample weights, a fresh array each time."""
        residuals = self.residuals
        if self.sample_weight is not None:
            residuals *= self.sample_weight[:, None]
        return residuals

    def with_labels(self, codes: IntArray) -> Predictions:
        """Put other class indices to the same predictions, unchecked (for resampling)."""
        return _assemble(codes, self.y_prob, self.sample_weight, self.classes)

    def take(self, rows: Any) -> Predictions:
        """Select rows by an index array, a boolean mask or a slice.

        Examples
        --------
        >>> Predictions([0, 1, 1], [0.2, 0.5, 0.9]).take([2, 0]).y_prob[:, 1]
        array([0.9, 0.2])
        """
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.ndim != 1:
                raise ValueError(
                    f"rows must be a slice or a vector of row numbers; got shape {rows.shape}"
                )
        codes = self.y_true[rows]
        if not len(codes):
            raise ValueError("rows must select at least one row; got none")
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        return _assemble(codes, np.ascontiguousarray(self.y_prob[rows]), weights, self.classes)

    def require_rows(self, minimum: int, what: str) -> None:
        """Raise where there are fewer than `minimum` rows.

        Examples
        --------
        >>> Predictions([1], [0.5]).require_rows(2, "the unbiased SKCE")
        Traceback (most recent call last):
            ...
        ValueError: the unbiased SKCE needs at least 2 rows; got 1
        """
        if self.n_samples < minimum:
            noun = "row" if minimum == 1 else "rows"
            raise ValueError(f"{what} needs at least {minimum} {noun}; got {self.n_samples}")

    def lens(self, f: Callable[[FloatArray], Any], classes: Any = None) -> Predictions:
        """Ask a coarser question: give every class of every row an induced class.

        Induced probabilities are sums, induced labels follow, weights are carried. A sum may
        exceed 1 by as much as its row does. Cost O(n·m).

        Parameters
        ----------
        f : callable
            ``f(probs)``, probs of shape (n_samples, n_classes), returns integers of the same
            shape: the induced class 0..q−1 of every class in every row.
        classes : sequence of q names, optional
            Names of the induced classes; by default 0..q−1 with the largest q − 1 returned.

        Returns
        -------
        Predictions

        Examples
        --------
        Is the event "one of the first two classes" predicted well?

        >>> import numpy as np
        >>> predictions = Predictions([0, 2], [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]])
        >>> first_two = lambda probs: np.broadcast_to([1, 1, 0], probs.shape)
        >>> predictions.lens(first_two, classes=["no", "yes"]).y_prob
        array([[0.25, 0.75],
               [0.5 , 0.5 ]])

        The event got 0.75 and 0.5.
        """
        names = None if classes is None else tuple(classes)
        if names is not None:
            if len(names) < 2:
                raise ValueError(f"a lens needs at least 2 classes; got {listed(names)}")
            names = column_names(names, None, len(names))
        groups = check_groups(f(self.y_prob), self.y_prob.shape, len(names) if names else None)
        return self._induced(groups, names or tuple(range(int(groups.max()) + 1)))

    def top_label(self) -> Predictions:
        """Ask whether the most probable class occurs: columns [other, top].

        Of equally probable classes the first is the top one.

        Examples
        --------
        >>> top = Predictions([0, 2], [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]).top_label()
        >>> top.labels.tolist(), top.y_prob[:, 1].tolist()
        (['top', 'other'], [0.5, 0.5])

        The top label occurred in one row of two, as predicted.
        """
        return self._induced(top_ranks(self.y_prob, 1), ("other", "top"))

    def top_k(self, k: int) -> Predictions:
        """Ask which of the k most probable classes occurs: columns [other, top 1, …, top k].

        Of equally probable classes the first ranks higher. ``top_k(1)`` is `top_label`.

        Examples
        --------
        >>> Predictions([0], [[0.1, 0.2, 0.3, 0.4]]).top_k(2).y_prob.round(12)
        array([[0.3, 0.4, 0.3]])
        """
        k = index(k)
        if not 1 <= k < self.n_classes:
            raise ValueError(f"k must be in [1, {self.n_classes - 1}], below n_classes; got {k}")
        names = ("other", *(f"top {rank}" for rank in range(1, k + 1)))
        return self._induced(top_ranks(self.y_prob, k), names)

    def one_vs_rest(self, c: Hashable) -> Predictions:
        """Ask whether class `c` occurs: columns [rest, c].

        Examples
        --------
        >>> Predictions([0], [[0.25, 0.5, 0.25]]).one_vs_rest(1).y_prob
        array([[0.5, 0.5]])
        """
        chosen = position(self.classes, c)
        rest = "rest" if c != "rest" else "not rest"
        return self._induced_alike([int(i == chosen) for i in range(self.n_classes)], (rest, c))

    def at_least(self, c: Hashable) -> Predictions:
        """Ask whether the grade is at least `c` in the order of `classes`.

        Examples
        --------
        >>> grades = Predictions([2], [[0.5, 0.25, 0.25]], classes=["low", "mid", "high"])
        >>> grades.at_least("mid")
        Predictions(n_samples=1, n_classes=2, classes=('< mid', '>= mid'))
        """
        threshold = position(self.classes, c)
        if threshold == 0:
            raise ValueError(
                f"at_least needs a class above the first; got {c!r}, which every row reaches"
            )
        groups = [int(i >= threshold) for i in range(self.n_classes)]
        return self._induced_alike(groups, (f"< {c}", f">= {c}"))

    def merge_classes(self, groups: Mapping[Any, Sequence[Any]]) -> Predictions:
        """Merge classes: ``{name: [classes]}``; classes not mentioned stay as they are.

        A merged class comes where its first member was.

        Examples
        --------
        >>> pets = Predictions([2], [[0.25, 0.5, 0.25]], classes=["car", "cat", "dog"])
        >>> pets.merge_classes({"animal": ["cat", "dog"]}).y_prob
        array([[0.25, 0.75]])
        """
        return self._induced_alike(*merged(self.classes, groups))

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        weighted = "" if self.sample_weight is None else ", weighted"
        return (
            f"Predictions(n_samples={self.n_samples}, n_classes={self.n_classes}, "
            f"classes=({listed(self.classes)}){weighted})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # unpickled arrays would be writeable
        return _assemble, (self.y_true, self.y_prob, self.sample_weight, self.classes)

    def _induced_alike(self, groups: list[int], names: tuple[Hashable, ...]) -> Predictions:
        return self._induced(np.broadcast_to(np.array(groups), self.y_prob.shape), names)

    def _induced(self, groups: IntArray, names: tuple[Hashable, ...]) -> Predictions:
        table = induced_probabilities(self.y_prob, groups, len(names))
        codes = groups[np.arange(self.n_samples), self.y_true]
        return _assemble(codes, table, self.sample_weight, names)

    def _set(
        self,
        y_true: IntArray,
        y_prob: FloatArray,
        sample_weight: FloatArray | None,
        classes: tuple[Hashable, ...],
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "y_true", _read_only(y_true))
        set_field(self, "y_prob", _read_only(y_prob))
        set_field(
            self,
            "sample_weight",
            sample_weight if sample_weight is None else _read_only(sample_weight),
        )
        set_field(self, "classes", classes)


def as_predictions(
    y_true: Any,
    y_prob: Any = None,
    *,
    classes: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    normalize: bool = False,
) -> Predictions:
    """Return `Predictions`: made from the arrays, or the one that was passed.

    Examples
    --------
    >>> predictions = as_predictions([0, 1], [0.25, 0.75])
    >>> as_predictions(predictions) is predictions
    True
    """
    if not isinstance(y_true, Predictions):
        if y_prob is None:
            raise ValueError("y_prob is missing: pass y_true and y_prob, or one Predictions")
        return Predictions(
            y_true,
            y_prob,
            classes=classes,
            pos_label=pos_label,
            sample_weight=sample_weight,
            normalize=normalize,
        )
    given = {
        "y_prob": y_prob is not None,
        "classes": classes is not None,
        "pos_label": pos_label is not None,
        "sample_weight": sample_weight is not None,
        "normalize": normalize,
    }
    extra = [name for name, is_given in given.items() if is_given]
    if extra:
        raise ValueError(
            f"a Predictions comes alone; got {', '.join(extra)} as well. "
            "Give them to Predictions(y_true, y_prob, ...)"
        )
    return y_true


def _sources(y_true: Any, y_prob: Any, name: str) -> tuple[Source, Source]:
    for data, argument in ((y_true, "y_true"), (y_prob, name)):
        if isinstance(data, Predictions):
            _refuse_predictions(argument)
    return check_shapes(read(y_true, "y_true"), read(y_prob, name), name)


def _refuse_predictions(argument: str) -> NoReturn:
    raise TypeError(f"{argument} must be an array; got a Predictions, which is checked already")


def _assemble(
    y_true: IntArray,
    y_prob: FloatArray,
    sample_weight: FloatArray | None,
    classes: tuple[Hashable, ...],
) -> Predictions:
    """Put checked parts together."""
    predictions = object.__new__(Predictions)
    predictions._set(y_true, y_prob, sample_weight, classes)
    return predictions


def _read_only(array: Any) -> Any:
    """Return a read-only view; the array itself keeps its flags."""
    view = array.view()
    view.flags.writeable = False
    return view
