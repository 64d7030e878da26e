"""Calibration errors as training penalties, recalibration as modules; needs PyTorch."""

from __future__ import annotations

try:
    import torch as _torch
except ImportError as error:
    raise ImportError("calibrant.torch needs PyTorch: python -m pip install torch") from error

from calibrant._output import publish
from calibrant.torch._mmce import MMCELoss
from calibrant.torch._recalibration import Temperature, VectorScaling
from calibrant.torch._skce import SKCELoss

__all__ = ["MMCELoss", "SKCELoss", "Temperature", "VectorScaling"]

publish(__name__, globals(), __all__)
