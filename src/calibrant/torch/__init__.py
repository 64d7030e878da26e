"""Calibration errors as differentiable training penalties; needs PyTorch."""

from __future__ import annotations

try:
    import torch as _torch
except ImportError as error:
    raise ImportError(
        'calibrant.torch needs PyTorch: python -m pip install "calibrant[torch]"'
    ) from error

from calibrant._output import publish
from calibrant.torch._mmce import MMCELoss
from calibrant.torch._skce import SKCELoss

__all__ = ["MMCELoss", "SKCELoss"]

publish(__name__, globals(), __all__)
