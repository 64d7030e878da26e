"""Checks of the inputs of losses: outputs of a network and labels."""

from __future__ import annotations

from typing import Any, Literal, get_args

import torch
from torch import Tensor

Inputs = Literal["logits", "probabilities"]

#: largest deviation of a row sum from 1
_SUM_TOLERANCE = 1e-2


def check_inputs(inputs: Any) -> None:
    """Raise ValueError unless `inputs` is one of the two kinds of outputs."""
    if inputs not in get_args(Inputs):
        raise ValueError(
            "`inputs` must say what the loss is called with, 'logits' or 'probabilities'; "
            f"got {inputs!r}."
        )


def as_distributions(outputs: Any, inputs: Inputs) -> Tensor:
    """Return probabilities (n, m), in float32 or better; one column becomes two."""
    if not (isinstance(outputs, Tensor) and outputs.is_floating_point()):
        what = outputs.dtype if isinstance(outputs, Tensor) else type(outputs).__name__
        raise TypeError(
            f"the first argument must be a floating-point tensor of {inputs}; got {what}. "
            "The order is that of torch: loss(outputs, labels)."
        )
    if outputs.ndim not in (1, 2) or outputs.shape[0] == 0 or outputs.shape[-1] == 0:
        raise ValueError(
            f"the {inputs} must have shape (n_samples, n_classes), or (n_samples,) for those of "
            f"the positive class; got {tuple(outputs.shape)}. Flatten other dimensions first."
        )
    if outputs.dtype in (torch.float16, torch.bfloat16):
        outputs = outputs.float()
    if outputs.ndim == 1 or outputs.shape[1] == 1:
        positive = outputs.reshape(-1)
        other = torch.zeros_like(positive) if inputs == "logits" else 1.0 - positive
        outputs = torch.stack([other, positive], dim=1)
    if inputs == "logits":
        return torch.softmax(outputs, dim=1)
    p: Tensor = outputs
    _check_distributions(p.detach())
    return p


def as_labels(labels: Any, n_samples: int, n_classes: int) -> Tensor:
    """Return labels as int64 class indices (n,)."""
    kinds = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
    if not isinstance(labels, Tensor) or labels.dtype not in kinds:
        what = labels.dtype if isinstance(labels, Tensor) else type(labels).__name__
        raise TypeError(
            f"the labels must be a tensor of class indices; got {what}. Pass `labels.long()` if "
            "the numbers are indices."
        )
    if labels.shape not in ((n_samples,), (n_samples, 1)):
        raise ValueError(
            f"the labels must have shape ({n_samples},), one class index for each row; got "
            f"{tuple(labels.shape)}."
        )
    codes: Tensor = labels.reshape(-1).long()
    if codes.device.type == "meta":  # tensors without data
        return codes
    low, high = int(codes.min()), int(codes.max())
    if low < 0 or high >= n_classes:
        raise ValueError(
            f"the labels must be class indices in [0, {n_classes}); got values from {low} to "
            f"{high}. Number the classes from 0."
        )
    return codes


def as_weights(sample_weight: Tensor | None, probabilities: Tensor) -> Tensor | None:
    """Return weights (n,) of the type and on the device of the probabilities, or None."""
    if sample_weight is None:
        return None
    weights = torch.as_tensor(sample_weight).to(probabilities)
    if weights.shape != probabilities.shape[:1]:
        raise ValueError(
            f"`sample_weight` must have shape ({len(probabilities)},); got {tuple(weights.shape)}."
        )
    if weights.device.type != "meta" and not bool((weights >= 0).all() & (weights.sum() > 0)):
        raise ValueError("`sample_weight` must be non-negative numbers, not all of them 0.")
    return weights


def _check_distributions(p: Tensor) -> None:
    if p.device.type == "meta":
        return
    off = (p.sum(dim=1) - 1.0).abs().max()
    # NaN fails the comparison
    if not bool((p.min() >= 0) & (p.max() <= 1 + 1e-6) & (off <= _SUM_TOLERANCE)):
        raise ValueError(
            "the rows must be probabilities that sum to 1; got values from "
            f"{float(p.min()):.4g} to {float(p.max()):.4g} and a row sum off by {float(off):.2g}. "
            'Say inputs="logits" if these are logits.'
        )
