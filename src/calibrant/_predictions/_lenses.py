"""Lenses: coarser views of the same predictions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions._groups import (
    against_rest,
    check_groups,
    induced_rows,
    merged,
    position,
    top_classes,
    top_ranks,
)
from calibrant._predictions._messages import listed
from calibrant._predictions._names import checked_names
from calibrant.errors import DataError, Problem

if TYPE_CHECKING:
    from calibrant._predictions._predictions import Predictions


class Lenses:
    """The lenses of `Predictions`, each of which returns a `Predictions`."""

    __slots__ = ()

    y_true: IntArray
    y_prob: FloatArray
    classes: tuple[Hashable, ...]
    ranked: bool

    def lens(self, f: Callable[[FloatArray], Any], classes: Any = None) -> Predictions:
        """Take a coarser view: map every class of every row to an induced class.

        Induced probabilities are sums, labels are mapped accordingly, and weights are kept. A sum
        may exceed 1 by as much as its row does. Cost O(n·m).

        Parameters
        ----------
        f : callable
            ``f(probs)`` takes probabilities of shape (n_samples, n_classes) and returns integers of
            the same shape: the induced class 0..q−1 of every class in every row.
        classes : sequence of q names, optional
            Names of the induced classes; by default 0..q−1, where q − 1 is the largest one
            returned.

        Returns
        -------
        Predictions

        Examples
        --------
        Merge the first two classes into one event:

        >>> from calibrant import Predictions
        >>> predictions = Predictions([0, 2], [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]])
        >>> first_two = lambda probs: np.broadcast_to([1, 1, 0], probs.shape)
        >>> predictions.lens(first_two, classes=["no", "yes"]).y_prob
        array([[0.25, 0.75],
               [0.5 , 0.5 ]])

        The predicted probabilities of the event are 0.75 and 0.5.
        """
        names = None if classes is None else checked_names(classes)
        if names is not None and len(names) < 2:
            raise DataError(Problem.LENS, "a lens needs at least 2 classes", got=listed(names))
        groups = check_groups(f(self.y_prob), self.y_prob.shape, len(names) if names else None)
        return self._induced(groups.__getitem__, names or tuple(range(int(groups.max()) + 1)))

    def top_label(self) -> Predictions:
        """Return the two-class view of whether the predicted class occurs: columns [other, top].

        The predicted class is the most probable one, or the first if tied. After `top_label` or
        `top_k`, the original top class is kept.

        Examples
        --------
        >>> from calibrant import Predictions
        >>> top = Predictions([0, 2], [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]).top_label()
        >>> top.labels.tolist(), top.y_prob[:, 1].tolist()
        (['top', 'other'], [0.5, 0.5])

        The top label occurred in one of two rows, as predicted.
        """
        return self._by_rank(1, ("other", "top"))

    def top_k(self, k: int) -> Predictions:
        """Return the view of the k most probable classes: columns [other, top 1, …, top k].

        Ties are ranked in the order of the classes. ``top_k(1)`` is `top_label`.

        Examples
        --------
        >>> from calibrant import Predictions
        >>> Predictions([0], [[0.1, 0.2, 0.3, 0.4]]).top_k(2).y_prob.round(12)
        array([[0.3, 0.4, 0.3]])
        """
        k = index(k)
        if not 1 <= k < len(self.classes):
            last = len(self.classes) - 1
            raise DataError(
                Problem.LENS, f"must be in [1, {last}], below n_classes", argument="k", value=k
            )
        names = ("other", *(f"top {rank}" for rank in range(1, k + 1)))
        return self._by_rank(k, names)

    def event(self) -> Predictions:
        """Return the two-class view that `rmsce`, `MMCE` and the ECE of a test use.

        With two classes, the event is the positive class, and the predictions are returned as they
        are. With more, the event is the predicted class, as in `top_label`. Two classes are never
        folded to max(p, 1 − p): there, probabilities that are all too low would have errors of
        both signs, which cancel.

        Examples
        --------
        >>> from calibrant import Predictions
        >>> Predictions([1, 0], [0.3, 0.6]).event().y_prob[:, 1].tolist()
        [0.3, 0.6]
        >>> Predictions([0], [[0.1, 0.2, 0.7]]).event().classes
        ('other', 'top')
        """
        if len(self.classes) > 2:
            return self.top_label()
        return cast("Predictions", self)

    def one_vs_rest(self, c: Hashable) -> Predictions:
        """Return the two-class view of whether class `c` occurs: columns [rest, c].

        Examples
        --------
        >>> from calibrant import Predictions
        >>> Predictions([0], [[0.25, 0.5, 0.25]]).one_vs_rest(1).y_prob
        array([[0.5, 0.5]])
        """
        chosen = position(self.classes, c)
        rest = "rest" if c != "rest" else "not rest"
        return self._seen_as(*against_rest(self.y_prob, self.y_true, chosen), (rest, c))

    def at_least(self, c: Hashable) -> Predictions:
        """Return the two-class view of whether the grade is at least `c` in the order of `classes`.

        Examples
        --------
        >>> from calibrant import Predictions
        >>> grades = Predictions([2], [[0.5, 0.25, 0.25]], classes=["low", "mid", "high"])
        >>> grades.at_least("mid")
        Predictions(n_samples=1, n_classes=2, classes=('< mid', '>= mid'))
        """
        threshold = position(self.classes, c)
        if threshold == 0:
            raise DataError(
                Problem.LENS,
                "needs a class above the first",
                argument="at_least",
                got=f"{c!r}, which every row reaches",
            )
        groups = [int(i >= threshold) for i in range(len(self.classes))]
        return self._induced_alike(groups, (f"< {c}", f">= {c}"))

    def merge_classes(self, groups: Mapping[Any, Sequence[Any]]) -> Predictions:
        """Merge classes: ``{name: [classes]}``; classes not mentioned stay as they are.

        A merged class takes the place of its first member.

        Examples
        --------
        >>> from calibrant import Predictions
        >>> pets = Predictions([2], [[0.25, 0.5, 0.25]], classes=["car", "cat", "dog"])
        >>> pets.merge_classes({"animal": ["cat", "dog"]}).y_prob
        array([[0.25, 0.75]])
        """
        return self._induced_alike(*merged(self.classes, groups))

    def _by_rank(self, k: int, names: tuple[Hashable, ...]) -> Predictions:
        if self.ranked:
            ranks = [c if c <= k else 0 for c in range(len(self.classes))]
            return self._induced_alike(ranks, names, ranked=True)
        if k == 1:
            top = top_classes(self.y_prob)
            return self._seen_as(*against_rest(self.y_prob, self.y_true, top), names, ranked=True)
        return self._induced(lambda rows: top_ranks(self.y_prob[rows], k), names, ranked=True)

    def _induced_alike(
        self, groups: list[int], names: tuple[Hashable, ...], *, ranked: bool = False
    ) -> Predictions:
        every = np.broadcast_to(np.array(groups), self.y_prob.shape)
        return self._induced(every.__getitem__, names, ranked=ranked)

    def _induced(
        self,
        groups: Callable[[slice], IntArray],
        names: tuple[Hashable, ...],
        *,
        ranked: bool = False,
    ) -> Predictions:
        codes, table = induced_rows(self.y_prob, self.y_true, groups, len(names))
        return self._seen_as(codes, table, names, ranked=ranked)

    def _seen_as(
        self,
        y_true: IntArray,
        y_prob: FloatArray,
        classes: tuple[Hashable, ...],
        *,
        ranked: bool = False,
    ) -> Predictions:
        """Return the same rows with other labels, probabilities and names."""
        raise NotImplementedError
