"""The log loss of a family of maps, its gradient and its Hessian, as sums over blocks of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from calibrant._execution import still_wanted
from calibrant._native import FloatArray, IntArray
from calibrant.recalibration._log_blocks import LogBlock
from calibrant.recalibration._log_linear import softmax_columns


@dataclass(frozen=True, eq=False)
class LossSums:
    """Sums over rows of weights, squared weights, log losses, gradients and Hessians."""

    weight: float
    squared_weight: float
    loss: float
    gradient: FloatArray
    hessian: FloatArray

    def __add__(self, other: LossSums) -> LossSums:
        return LossSums(
            self.weight + other.weight,
            self.squared_weight + other.squared_weight,
            self.loss + other.loss,
            self.gradient + other.gradient,
            self.hessian + other.hessian,
        )

    @property
    def effective_size(self) -> float:
        """Kish's effective number of rows, (Σw)²/Σw²."""
        return self.weight**2 / self.squared_weight if self.squared_weight > 0 else 0.0


class Family(ABC):
    """Maps softmax(z(θ)) with logits that are linear in θ, so that the log loss is convex."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of parameters d, including redundant ones."""

    @abstractmethod
    def block_sums(self, block: LogBlock, theta: FloatArray, second: bool) -> LossSums:
        """Return the sums of a block; the Hessian is (0, 0) unless `second`."""

    def sums(self, blocks: Iterable[LogBlock], theta: FloatArray, second: bool = True) -> LossSums:
        """Return the sums of all blocks."""
        total = self.zero(second)
        for block in blocks:
            still_wanted()
            total = total + self.block_sums(block, theta, second)
        return total

    def zero(self, second: bool = True) -> LossSums:
        """Return the sums over zero rows."""
        d = self.size if second else 0
        return LossSums(0.0, 0.0, 0.0, np.zeros(self.size), np.zeros((d, d)))


@dataclass(frozen=True, eq=False)
class Affine(Family):
    """The family softmax(W log p + b), where some entries are parameters.

    Parameter k multiplies the feature `features[k]` (a log-probability, or 1 for `n_classes`) in
    the logit of class `classes[k]`.
    """

    n_classes: int
    classes: IntArray
    features: IntArray

    @property
    def size(self) -> int:
        """The number of entries."""
        return len(self.classes)

    def entries(self, theta: FloatArray) -> FloatArray:
        """Return [W, b] of shape (m, m + 1)."""
        table = np.zeros((self.n_classes, self.n_classes + 1))
        table[self.classes, self.features] = theta
        return table

    @cached_property
    def _is_diagonal(self) -> bool:
        own = self.features == self.classes
        return bool(np.all(own | (self.features == self.n_classes)))

    @cached_property
    def _columns(self) -> list[IntArray]:
        return [np.flatnonzero(self.classes == c) for c in range(self.n_classes)]

    def block_sums(self, block: LogBlock, theta: FloatArray, second: bool) -> LossSums:
        """Return the sums of a block."""
        m, rows = block.logs.shape
        here = np.arange(rows)
        design = np.concatenate([block.logs, np.ones((1, rows))])
        table = self.entries(theta)
        if self._is_diagonal:
            logits = np.diag(table)[:, None] * block.logs + table[:, m:]
        else:
            logits = table @ design
        label_logits = logits[block.labels, here]
        q, log_total = softmax_columns(logits)
        residual = q.copy()
        residual[block.labels, here] -= 1.0
        residual *= block.weight
        return LossSums(
            float(block.weight.sum()),
            float(block.weight @ block.weight),
            float(block.weight @ (log_total - label_logits)),
            self._gradient(residual, design),
            self._hessian(q, design, block.weight) if second else np.zeros((0, 0)),
        )

    def _gradient(self, residual: FloatArray, design: FloatArray) -> FloatArray:
        if not self._is_diagonal:
            products = residual @ design.T
            return np.asarray(products[self.classes, self.features])
        slopes = np.einsum("ci,ci->c", residual, design[:-1])
        both = np.column_stack([slopes, residual.sum(axis=1)])
        return np.asarray(both[self.classes, (self.features == self.n_classes).astype(int)])

    def _hessian(self, q: FloatArray, design: FloatArray, weight: FloatArray) -> FloatArray:
        """Return Σ w (δ_cd q_c − q_c q_d) x_j x_k for all pairs of parameters."""
        root = np.sqrt(weight)
        products = q[self.classes] * design[self.features]
        products *= root
        hessian = -(products @ products.T)
        q = q * weight
        for c, own in enumerate(self._columns):
            x = design[self.features[own]]
            hessian[np.ix_(own, own)] += (x * q[c]) @ x.T
        return hessian


def diagonal(n_classes: int) -> Affine:
    """Return the family of one slope and one intercept for every class: (a, b)."""
    each = np.arange(n_classes)
    return Affine(
        n_classes, np.tile(each, 2), np.concatenate([each, np.full_like(each, n_classes)])
    )


@dataclass(frozen=True, eq=False)
class Tied(Family):
    """A family whose parameters depend linearly on fewer ones: θ = origin + basis @ φ."""

    free: Family
    basis: FloatArray
    origin: FloatArray | float = 0.0

    @property
    def size(self) -> int:
        """The number of columns of the basis."""
        return int(self.basis.shape[1])

    def expand(self, theta: FloatArray) -> FloatArray:
        """Return all parameters."""
        return np.asarray(self.origin + self.basis @ theta)

    def block_sums(self, block: LogBlock, theta: FloatArray, second: bool) -> LossSums:
        """Return the sums of a block, by the chain rule."""
        sums = self.free.block_sums(block, self.expand(theta), second)
        hessian = self.basis.T @ sums.hessian @ self.basis if second else sums.hessian
        return replace(sums, gradient=self.basis.T @ sums.gradient, hessian=hessian)
