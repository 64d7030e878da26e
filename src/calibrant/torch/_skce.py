"""The squared kernel calibration error as a loss."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import one_hot

from calibrant.estimators import SKCE
from calibrant.kernels import Kernel
from calibrant.torch._inputs import Inputs, as_distributions, as_labels, as_weights
from calibrant.torch._pair_mean import PairLoss, PairMean


class SKCELoss(PairLoss):
    r"""Squared kernel calibration error of a batch, with gradients: a training penalty.

    Equals `calibrant.SKCE` on these probabilities. The unbiased forms are 0 on average for a
    calibrated model and may be negative. Add it to a proper loss, such as the cross-entropy, with a
    positive factor: alone it does not reward accuracy.

    Parameters
    ----------
    kernel : Kernel, default ``Laplacian()``
        A radial kernel such as `Laplacian` or `Matern`, a `FunctionKernel` whose function takes
        tensors, or a sum, multiple, lift or class-wise form of them. A bandwidth rule is resolved
        on every batch, without gradient; a number saves this time.
    inputs : {"logits", "probabilities"}
        The kind of outputs that the loss receives.
    unbiased : bool, default True
        Average over pairs of different samples, which gives unbiased gradients. ``False`` also
        counts every sample with itself, which adds a Brier term and is never negative.
    block_size : int, optional
        Average only within consecutive blocks of this many samples, O(n·b) instead of O(n²).
    chunk_size : int, optional
        Keep the terms of this many rows at a time, and recompute them for the gradient.

    Notes
    -----
    With :math:`r_i = e_{y_i} - p_i`, the loss is the mean of :math:`r_i^\top k(p_i, p_j)\, r_j`
    over pairs. The distance of two equal predictions has the gradient 0 (a subgradient).

    Call it as ``loss(outputs, labels, sample_weight=None)``, in torch's order, with tensors on any
    device: outputs (n_samples, n_classes), or (n_samples,) for the positive class, and class
    indices. float16 and bfloat16 are converted to float32. Cost O(n²m) time and O(n²) memory;
    O(n·chunk_size) memory in chunks; `Classwise` kernels need m times the memory. Second
    derivatives are not available.

    References
    ----------
    Widmann, Lindsten, Zachariah, "Calibration tests in multi-class classification: a unifying
    framework", NeurIPS 2019, table 1.

    Examples
    --------
    >>> import torch
    >>> import calibrant as cal
    >>> from calibrant.torch import SKCELoss
    >>> logits = torch.tensor([[2.0, 0.0], [2.0, 0.0], [0.0, 3.0]], requires_grad=True)
    >>> labels = torch.tensor([0, 1, 1])
    >>> penalty = SKCELoss(inputs="logits")(logits, labels)
    >>> torch.nn.functional.cross_entropy(logits, labels).add(10.0 * penalty).backward()
    >>> logits.grad.shape
    torch.Size([3, 2])
    >>> abs(penalty.item() - cal.SKCE()(labels, logits.softmax(dim=1))) < 1e-6
    True
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        inputs: Inputs,
        unbiased: bool = True,
        block_size: int | None = None,
        chunk_size: int | None = None,
    ) -> None:
        chosen = (SKCE() if kernel is None else SKCE(kernel)).kernel
        super().__init__(chosen, inputs, PairMean(unbiased, block_size, chunk_size))

    def forward(
        self, outputs: Tensor, labels: Tensor, sample_weight: Tensor | None = None
    ) -> Tensor:
        """Return the error as a scalar tensor.

        Parameters
        ----------
        outputs : tensor of shape (n_samples, n_classes) or (n_samples,)
            Logits or probabilities, depending on `inputs`.
        labels : tensor of shape (n_samples,)
            Class indices.
        sample_weight : tensor of shape (n_samples,), optional
            Non-negative weights.

        Returns
        -------
        Tensor
        """
        p = as_distributions(outputs, self.inputs)
        codes = as_labels(labels, *p.shape)
        residuals = one_hot(codes, p.shape[1]).to(p) - p
        return self.pair_mean(self.kernel, p, residuals, as_weights(sample_weight, p))
