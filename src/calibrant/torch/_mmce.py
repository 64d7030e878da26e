"""The maximum mean calibration error as a loss."""

from __future__ import annotations

import torch
from torch import Tensor

from calibrant.estimators import MMCE
from calibrant.kernels import ScalarKernel
from calibrant.torch._inputs import Inputs, as_distributions, as_labels, as_weights
from calibrant.torch._pair_mean import PairLoss, PairMean
from calibrant.torch._terms import safe_sqrt


class MMCELoss(PairLoss):
    r"""Maximum mean calibration error of a batch, with gradients: a training penalty.

    Equals `calibrant.MMCE` on these probabilities; at least 0. It uses one probability of each row:
    that of the positive class, or of the predicted label if there are more than two classes. Add it
    to a proper loss, such as the cross-entropy, with a positive factor.

    Parameters
    ----------
    kernel : ScalarKernel, default ``Laplacian(0.4)``
        Kernel of two probabilities s, used as the distributions (1−s, s); see `SKCELoss`.
    inputs : {"logits", "probabilities"}
        The kind of outputs that the loss receives.
    squared : bool, default False
        Return MMCE², which is smooth at 0.
    unbiased : bool, default False
        Average over pairs of different samples. This may be negative, so `squared` must be True.
    block_size : int, optional
        Average within consecutive blocks; `squared` and `unbiased` must be True.
    chunk_size : int, optional
        Keep the terms of this many rows at a time, and recompute them for the gradient.

    Notes
    -----
    With this probability :math:`s_i`, and :math:`c_i = 1` if its class occurred,
    :math:`MMCE^2 = \frac{1}{n^2} \sum_{i,j} (c_i - s_i)(c_j - s_j)\, k(s_i, s_j)`. The gradient
    flows through the probability; the class is constant. If MMCE is 0, its gradient is
    defined as 0. Cost and devices as for `SKCELoss`.

    References
    ----------
    Kumar, Sarawagi, Jain, "Trainable calibration measures for neural networks from kernel mean
    embeddings", ICML 2018.

    Examples
    --------
    >>> import torch
    >>> from calibrant.torch import MMCELoss
    >>> p = torch.tensor([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.6, 0.2, 0.2]])
    >>> round(MMCELoss(inputs="probabilities")(p, torch.tensor([0, 1, 2])).item(), 4)
    0.1595
    """

    def __init__(
        self,
        kernel: ScalarKernel | None = None,
        *,
        inputs: Inputs,
        squared: bool = False,
        unbiased: bool = False,
        block_size: int | None = None,
        chunk_size: int | None = None,
    ) -> None:
        chosen = (MMCE() if kernel is None else MMCE(kernel)).kernel
        super().__init__(chosen, inputs, PairMean(unbiased, block_size, chunk_size))
        self.squared = squared
        if unbiased and not squared:
            raise ValueError(
                "the unbiased estimate of MMCE² may be negative and has no root; pass "
                "`squared=True` or `unbiased=False`"
            )

    def forward(
        self, outputs: Tensor, labels: Tensor, sample_weight: Tensor | None = None
    ) -> Tensor:
        """Return the error as a scalar tensor; see `SKCELoss.forward`."""
        p = as_distributions(outputs, self.inputs)
        codes = as_labels(labels, *p.shape)
        if p.shape[1] == 2:  # as in Predictions.event
            probability, hit = p[:, 1], codes == 1
        else:
            probability, predicted = p.max(dim=1)
            hit = predicted == codes
        residuals = hit.to(p) - probability
        points = torch.stack([1.0 - probability, probability], dim=1)
        weights = as_weights(sample_weight, p)
        square = self.pair_mean(self.kernel, points, residuals[:, None], weights)
        return square if self.squared else safe_sqrt(square)

    def extra_repr(self) -> str:
        """Return the configuration, for the printed module."""
        return f"{super().extra_repr()}, squared={self.squared}"
