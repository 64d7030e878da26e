"""Constructors of predictions from classifiers, logits and multilabel data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant._predictions._arrays import Source, read
from calibrant._predictions._indexes import check_indexes
from calibrant._predictions._items import ItemConstructors
from calibrant._predictions._labels import encode
from calibrant._predictions._logits import logits_to_probabilities
from calibrant._predictions._multilabel import label_of_cells, stack_labels
from calibrant._predictions._row_facts import check_ordered, check_row_facts
from calibrant._predictions._shapes import check_shapes

if TYPE_CHECKING:
    from calibrant._predictions._predictions import Predictions


class Constructors(ItemConstructors):
    """Constructors of `Predictions` from other data than probabilities and one label per row."""

    __slots__ = ()

    @classmethod
    def from_estimator(
        cls,
        classifier: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        clusters: Any = None,
        ordered: bool = False,
    ) -> Predictions:
        """Make predictions with a fitted classifier that has `predict_proba` and `classes_`.

        Parameters
        ----------
        classifier : object
            A fitted classifier; the columns of ``classifier.predict_proba(X)`` are in the order of
            ``classifier.classes_``.
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels, each one of ``classifier.classes_``.
        sample_weight, clusters : array-like of shape (n_samples,), optional
            See `Predictions`.
        ordered : bool, default False
            Whether ``classifier.classes_`` are in increasing order.

        Returns
        -------
        Predictions

        Examples
        --------
        >>> from calibrant import Predictions
        >>> class Coin:
        ...     classes_ = ("heads", "tails")
        ...     def predict_proba(self, X):
        ...         return [[0.5, 0.5] for _ in X]
        >>> Predictions.from_estimator(Coin(), [[0], [0]], ["tails", "heads"]).y_true
        array([1, 0])

        Labels are looked up in ``classes_``, so tails is class 1.
        """
        for attribute in ("predict_proba", "classes_"):
            if not hasattr(classifier, attribute):
                raise TypeError(
                    "`classifier` must be a fitted classifier with `predict_proba` and `classes_`; "
                    f"{type(classifier).__name__} has no {attribute}. Fit it first, or use "
                    "`Predictions(y_true, y_prob)` or `Predictions.from_logits`."
                )
        check_indexes({"X": X, "y": y, "sample_weight": sample_weight, "clusters": clusters})
        y_prob = classifier.predict_proba(X)
        return cast("type[Predictions]", cls)(
            y,
            y_prob,
            classes=classifier.classes_,
            sample_weight=sample_weight,
            clusters=clusters,
            ordered=ordered,
        )

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
        clusters: Any = None,
        ordered: bool = False,
    ) -> Predictions:
        r"""Make predictions from logits, :math:`p = \mathrm{softmax}(z / T)`.

        Cost O(n·m). Logits of any magnitude are safe; a logit of −∞ is a probability of 0.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
            Labels.
        logits : array-like of shape (n_samples, n_classes) or (n_samples,)
            One column is the logit of the positive class.
        temperature : float, default 1.0
            The temperature T > 0; values above 1 make the predictions less confident.
        classes, pos_label, sample_weight, clusters, ordered
            As in `Predictions`.

        Returns
        -------
        Predictions

        Examples
        --------
        >>> from calibrant import Predictions
        >>> Predictions.from_logits([1, 0], [[1000.0, 1000.0], [0.0, -1000.0]]).y_prob
        array([[0.5, 0.5],
               [1. , 0. ]])

        Equal logits give equal probabilities, even if they are large.
        """
        labels, source = read_sources(y_true, logits, "logits", sample_weight, clusters)
        table = logits_to_probabilities(source, temperature)
        codes, names = encode(labels, source, table, classes, pos_label)
        weights, together = check_row_facts(sample_weight, clusters, len(table))
        return cls._of(
            codes, table, weights, names, clusters=together, ordered=check_ordered(ordered)
        )

    @classmethod
    def from_multilabel(
        cls,
        Y: Any,
        P: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
    ) -> Predictions:
        """Make predictions from multilabel data: many labels per row, each with a probability.

        Every label is a two-class problem. Cell (i, j) becomes row i·L + j of a two-class
        `Predictions` of n·L rows, and the cells of a row are a cluster, because labels of a
        row may depend on each other in any way. Cost O(n·L).

        Parameters
        ----------
        Y : array-like of shape (n_samples, n_labels)
            1 where the row has the label, else 0.
        P : array-like of shape (n_samples, n_labels)
            Probabilities in [0, 1]; rows need not sum to 1.
        labels : sequence of n_labels names, optional
            Names of the labels; by default the column names of a frame ``P``, else 0..L−1.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        clusters : array-like of shape (n_samples,), optional
            Cluster id of each row; by default every row is a cluster.

        Returns
        -------
        Predictions

        See Also
        --------
        multilabel_groups : The label of every row, for `calibrant.where`.

        Examples
        --------
        >>> from calibrant import Predictions
        >>> Predictions.from_multilabel([[1, 1], [0, 1]], [[0.9, 0.8], [0.2, 0.7]])
        Predictions(n_samples=4, n_classes=2, classes=(0, 1), n_clusters=2)

        Two rows with two labels each become four predictions in two clusters.
        """
        rows = stack_labels(Y, P, labels, sample_weight, clusters)
        return cls._of(rows.y_true, rows.y_prob, rows.sample_weight, (0, 1), clusters=rows.clusters)

    @staticmethod
    def multilabel_groups(P: Any, *, labels: Any = None) -> dict[str, np.ndarray[Any, Any]]:
        """Return the label of every row of `from_multilabel`, as groups for `calibrant.where`.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_labels)
        labels : sequence of n_labels names, optional
            As in `from_multilabel`.

        Returns
        -------
        dict
            ``{"label": names}``, names of shape (n_samples · n_labels,).

        Examples
        --------
        >>> from calibrant import Predictions
        >>> groups = Predictions.multilabel_groups([[0.9, 0.8], [0.2, 0.7]], labels=["cat", "dog"])
        >>> groups["label"].tolist()
        ['cat', 'dog', 'cat', 'dog']

        The cells of the matrix are read row by row.
        """
        return {"label": label_of_cells(P, labels)}


def read_sources(
    y_true: Any, y_prob: Any, name: str, sample_weight: Any, clusters: Any
) -> tuple[Source, Source]:
    """Read labels and a table of numbers with matching shapes; `name` is the table's argument."""
    for data, argument in ((y_true, "y_true"), (y_prob, name)):
        if isinstance(data, Constructors):
            raise TypeError(
                f"`{argument}` must be an array; got a Predictions, which is checked already."
            )
    given = {"y_true": y_true, name: y_prob, "sample_weight": sample_weight, "clusters": clusters}
    check_indexes(given)
    return check_shapes(read(y_true, "y_true"), read(y_prob, name), name)
