"""Predictions from classifiers, logits, many labels per row, votes, and soft labels; shared checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions._arrays import Source, read
from calibrant._predictions._clusters import check_clusters
from calibrant._predictions._indexes import check_indexes
from calibrant._predictions._labels import encode
from calibrant._predictions._logits import logits_to_probabilities
from calibrant._predictions._multilabel import label_of_cells, stack_labels
from calibrant._predictions._probabilities import check_probabilities
from calibrant._predictions._shapes import check_shapes
from calibrant._predictions._soft_labels import fitting_shapes, soft_weights, spread_shares
from calibrant._predictions._votes import check_votes, item_clusters, spread
from calibrant._predictions._weights import check_weights

if TYPE_CHECKING:
    from calibrant._predictions._predictions import Predictions


class Constructors:
    """Ways to make `Predictions` from something else than probabilities and one label per row."""

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
        """Make predictions with a fitted classifier, any object with `predict_proba`, `classes_`.

        Parameters
        ----------
        classifier : object
            Fitted; ``classifier.predict_proba(X)`` gives columns in the order of
            ``classifier.classes_``.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, each one of ``classifier.classes_``.
        sample_weight, clusters : array-like of shape (n_samples,), optional
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

        Labels are looked up in ``classes_``: tails is class 1.
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

        Cost O(n·m). Logits of any magnitude are safe; −∞ is a probability of 0.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        logits : array-like of shape (n_samples, n_classes) or (n_samples,)
            One column is the logit of the positive class.
        temperature : float, default 1.0
            Positive; above 1 the predictions become less confident.
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

        Equal logits are equal probabilities, however large they are.
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
        """Make predictions from many labels per row, each with its own probability.

        Every label is a two-class problem. Cell (i, j) becomes row i·L + j of a two-class
        `Predictions` of n·L rows, and the cells of a row are a cluster: labels of a row may
        depend on each other in any way. Cost O(n·L).

        Parameters
        ----------
        Y : array-like of shape (n_samples, n_labels)
            1 where the row has the label, else 0.
        P : array-like of shape (n_samples, n_labels)
            Probabilities in [0, 1]; rows need not sum to 1.
        labels : sequence of n_labels names, optional
            By default the column names of a frame ``P``, else 0..L−1.
        sample_weight : array-like of shape (n_samples,), optional
        clusters : array-like of shape (n_samples,), optional
            Ids of rows that belong together, in place of single rows.

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

        Two rows with two labels each are four predictions in two clusters.
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

    @classmethod
    def from_votes(
        cls,
        votes: Any,
        y_prob: Any,
        *,
        classes: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        ordered: bool = False,
        independent_votes: bool = False,
    ) -> Predictions:
        r"""Make predictions of items that several annotators labeled, one row per vote.

        Every vote becomes a row with the prediction of its item, in the order of the items and
        then of the columns of `votes`. With one vote per item the result is that of
        ``Predictions(y_true, y_prob)``, bit for bit. Cost O(n·m + V·m) time and memory for V
        votes.

        Parameters
        ----------
        votes : array-like of shape (n_samples, n_classes)
            How many annotators chose each class: whole numbers, at least one vote per row. The
            columns of a frame are matched to the classes by name.
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
            One prediction per item.
        classes : sequence of n_classes names, optional
            As in `Predictions`.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each vote of an item, by default 1, so that an item with ten votes counts
            ten times. ``1 / votes.sum(axis=1)`` gives all items the same weight.
        clusters : array-like of shape (n_samples,), optional
            One id per item, as in `Predictions`; by default every item is a cluster of its votes.
        ordered : bool, default False
            As in `Predictions`.
        independent_votes : bool, default False
            Whether to treat votes on the same item as independent draws from its prediction.

        Returns
        -------
        Predictions

        Notes
        -----
        A model is calibrated if a vote :math:`Y` follows its prediction,
        :math:`P(Y = c \mid p) = p_c`. Two votes on one item may still agree more often than two
        draws from :math:`p`: the item may be clearer than its prediction says. By default items are
        therefore clusters, which allow for any such agreement; the p-value is approximate and
        intervals are valid for new items.

        With ``independent_votes=True`` the null hypothesis is stronger: the votes of item i are
        independent draws from :math:`\mathrm{Cat}(p_i)`, so that :math:`p_i` is the distribution of
        votes on this very item. Its test is exact. It also rejects models that are calibrated only
        on average over items, and intervals treat votes as independent rows.

        Examples
        --------
        >>> from calibrant import Predictions
        >>> predictions = Predictions.from_votes([[2, 1], [0, 1]], [[0.6, 0.4], [0.3, 0.7]])
        >>> predictions
        Predictions(n_samples=4, n_classes=2, classes=(0, 1), n_clusters=2)
        >>> predictions.y_true
        array([0, 0, 1, 1])

        Four votes on two items are four rows in two clusters.
        """
        if isinstance(votes, Constructors) or isinstance(y_prob, Constructors):
            raise TypeError("`votes` and `y_prob` must be arrays; got a Predictions.")
        check_indexes(
            {"votes": votes, "y_prob": y_prob, "sample_weight": sample_weight, "clusters": clusters}
        )
        cells = read(votes, "votes")
        counts = check_votes(cells)
        cells, source = check_shapes(cells, read(y_prob, "y_prob"))
        table = check_probabilities(source)
        items, labels, names = spread(counts, cells, source, table, classes)
        n_samples = len(table)
        together = item_clusters(
            clusters,
            n_samples,
            several=len(items) > n_samples,
            independent_votes=independent_votes,
        )
        weights = None if sample_weight is None else check_weights(sample_weight, n_samples)
        return cls._of(
            labels,
            table[items],
            None if weights is None else weights[items],
            names,
            clusters=None if together is None else together[items],
            ordered=check_ordered(ordered),
        )

    @classmethod
    def from_soft_labels(
        cls,
        targets: Any,
        y_prob: Any,
        *,
        classes: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        ordered: bool = False,
    ) -> Predictions:
        r"""Make predictions of items with soft labels: one row per class, weighted by its share.

        Estimators, effects and `calibrant.compare` then have their usual values for labels drawn
        from the shares, averaged over these draws. Tests that draw labels refuse soft labels:
        shares are not draws. Cost O(n·m).

        Parameters
        ----------
        targets : array-like of shape (n_samples, n_classes) or (n_samples,)
            The share of each class, rows that sum to 1. The columns of a frame are matched to the
            classes by name. Of two classes, one column is the share of the positive one.
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        classes : sequence of n_classes names, optional
            As in `Predictions`.
        sample_weight : array-like of shape (n_samples,), optional
        clusters : array-like of shape (n_samples,), optional
            As in `Predictions`; by default every item is a cluster of its shares.
        ordered : bool, default False
            As in `Predictions`.

        Returns
        -------
        Predictions

        Notes
        -----
        A row whose shares sum to s, off 1 by rounding, counts with weight s. The unbiased `SKCE`
        leaves out pairs in the same cluster, so that with the soft residuals
        :math:`r_i = t_i - p_i` it is the mean of :math:`r_i^\top k(p_i, p_j) r_j` over pairs of
        different items. If all shares are 0 or 1, the result is that of ``Predictions``.

        Examples
        --------
        >>> import calibrant as cal
        >>> targets, y_prob = [[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.4, 0.6]]
        >>> predictions = cal.Predictions.from_soft_labels(targets, y_prob)
        >>> predictions
        Predictions(n_samples=4, n_classes=2, classes=(0, 1), soft, n_clusters=2, weighted)
        >>> round(cal.effects.accuracy(predictions).estimate, 4)
        0.85

        A label drawn from the shares is the predicted one with probability .9 or .8.
        """
        if isinstance(targets, Constructors) or isinstance(y_prob, Constructors):
            raise TypeError("`targets` and `y_prob` must be arrays; got a Predictions.")
        check_indexes(
            {"targets": targets, "y_prob": y_prob, "sample_weight": sample_weight,
             "clusters": clusters}
        )  # fmt: skip
        cells, source = fitting_shapes(read(targets, "targets"), read(y_prob, "y_prob"))
        table = check_probabilities(source)
        n_samples = len(table)
        rows = spread_shares(cells, source, table, classes)
        weights = None if sample_weight is None else check_weights(sample_weight, n_samples)
        weights, together, soft = soft_weights(rows, weights, clusters, n_samples)
        return cls._of(
            rows.labels,
            table[rows.items],
            weights,
            rows.classes,
            clusters=together,
            ordered=check_ordered(ordered),
            soft=soft,
        )

    @staticmethod
    def _of(*parts: Any, **more: Any) -> Predictions:
        """Put checked parts together, as `assemble` does."""
        raise NotImplementedError


def check_row_facts(
    sample_weight: Any, clusters: Any, n_samples: int
) -> tuple[FloatArray | None, IntArray | None]:
    """Return the weights and the clusters of the rows, checked."""
    return (
        None if sample_weight is None else check_weights(sample_weight, n_samples),
        None if clusters is None else check_clusters(clusters, n_samples),
    )


def read_sources(
    y_true: Any, y_prob: Any, name: str, sample_weight: Any, clusters: Any
) -> tuple[Source, Source]:
    """Read labels and a table of numbers of fitting shapes; the table's argument has a name."""
    for data, argument in ((y_true, "y_true"), (y_prob, name)):
        if isinstance(data, Constructors):
            raise TypeError(
                f"`{argument}` must be an array; got a Predictions, which is checked already."
            )
    given = {"y_true": y_true, name: y_prob, "sample_weight": sample_weight, "clusters": clusters}
    check_indexes(given)
    return check_shapes(read(y_true, "y_true"), read(y_prob, name), name)


def check_ordered(ordered: Any) -> bool:
    """Return whether classes are ordered; anything but a truth value is refused."""
    if not isinstance(ordered, (bool, np.bool_)):
        raise TypeError(
            f"`ordered` must be True or False; got {ordered!r}. Put the classes in increasing "
            "order with `classes=` and pass `ordered=True`."
        )
    return bool(ordered)
