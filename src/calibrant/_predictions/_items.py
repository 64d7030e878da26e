"""Constructors of predictions for items with several labels: votes and soft labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._predictions._arrays import read
from calibrant._predictions._indexes import check_indexes
from calibrant._predictions._probabilities import check_probabilities
from calibrant._predictions._row_facts import check_ordered
from calibrant._predictions._shapes import check_shapes
from calibrant._predictions._soft_labels import fitting_shapes, soft_weights, spread_shares
from calibrant._predictions._votes import check_votes, item_clusters, spread
from calibrant._predictions._weights import check_weights

if TYPE_CHECKING:
    from calibrant._predictions._predictions import Predictions


class ItemConstructors:
    """Constructors of `Predictions` from several labels per item."""

    __slots__ = ()

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
        r"""Make predictions for items labeled by several annotators, with one row per vote.

        Every vote becomes a row with the prediction of its item, in the order of the items and
        then of the columns of `votes`. With one vote per item, the result equals
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
            The weight of each vote on an item. By default it is 1, so an item with ten votes counts
            ten times; ``1 / votes.sum(axis=1)`` gives all items the same weight.
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
        draws from :math:`p`, because the item may be clearer than its prediction says. Therefore
        items are clusters by default, which allows for any such agreement; the p-value is then
        approximate, and intervals are valid for new items.

        With ``independent_votes=True`` the null hypothesis is stronger: the votes of item i are
        independent draws from :math:`\mathrm{Cat}(p_i)`, so that :math:`p_i` is the distribution of
        votes on this particular item. The test is then exact, but it also rejects models that are
        calibrated only on average over items, and intervals treat votes as independent rows.

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
        if isinstance(votes, ItemConstructors) or isinstance(y_prob, ItemConstructors):
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
        r"""Make predictions for items with soft labels: one row per class, weighted by its share.

        Estimators, effects and `calibrant.compare` then have their usual values for labels drawn
        from the shares, averaged over these draws. Tests that draw labels refuse soft labels,
        because shares are not draws. Cost O(n·m).

        Parameters
        ----------
        targets : array-like of shape (n_samples, n_classes) or (n_samples,)
            The share of each class; rows sum to 1. The columns of a frame are matched to the
            classes by name. With two classes, a single column is the share of the positive class.
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
            Predicted probabilities.
        classes : sequence of n_classes names, optional
            As in `Predictions`.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        clusters : array-like of shape (n_samples,), optional
            As in `Predictions`; by default every item is a cluster of its shares.
        ordered : bool, default False
            As in `Predictions`.

        Returns
        -------
        Predictions

        Notes
        -----
        A row whose shares sum to s, off 1 by rounding, has weight s. The unbiased `SKCE` leaves out
        pairs in the same cluster, so that with the soft residuals :math:`r_i = t_i - p_i` it is the
        mean of :math:`r_i^\top k(p_i, p_j) r_j` over pairs of different items. If all shares are 0
        or 1, the result is that of ``Predictions``.

        Examples
        --------
        >>> import calibrant as cal
        >>> targets, y_prob = [[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.4, 0.6]]
        >>> predictions = cal.Predictions.from_soft_labels(targets, y_prob)
        >>> predictions
        Predictions(n_samples=4, n_classes=2, classes=(0, 1), soft, n_clusters=2, weighted)
        >>> round(cal.effects.accuracy(predictions).estimate, 4)
        0.85

        A label drawn from the shares is the predicted one with probability .9 or .8, .85 on
        average.
        """
        if isinstance(targets, ItemConstructors) or isinstance(y_prob, ItemConstructors):
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
        """Assemble checked parts, as `assemble` does."""
        raise NotImplementedError
