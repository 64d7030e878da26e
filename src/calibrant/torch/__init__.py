"""Calibration errors as differentiable training penalties; needs PyTorch."""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401 - asked for here, so that the message is ours
except ImportError as error:
    raise ImportError(
        'calibrant.torch needs PyTorch: python -m pip install "calibrant[torch]"'
    ) from error

from calibrant.torch._mmce import MMCELoss
from calibrant.torch._skce import SKCELoss

__all__ = ["MMCELoss", "SKCELoss"]
