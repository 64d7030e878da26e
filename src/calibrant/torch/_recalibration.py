"""Recalibration maps as modules from logits to recalibrated logits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from calibrant.recalibration import FittedTemperature, LogLinear

if TYPE_CHECKING:
    from torch import Tensor


class Temperature(torch.nn.Module):
    """Divide logits by a temperature: the last module of a network.

    It is not trained with the network: the temperature is a buffer, fitted to held-out rows.

    Parameters
    ----------
    temperature : float
        The positive temperature; see `calibrant.recalibration.Temperature`.

    Examples
    --------
    >>> import torch
    >>> import calibrant as cal
    >>> from calibrant.torch import Temperature
    >>> network = torch.nn.Sequential(torch.nn.Linear(5, 3), Temperature(2.0))
    >>> network(torch.zeros(4, 5)).shape
    torch.Size([4, 3])
    >>> fitted = cal.recalibration.Temperature().fit([[0.8, 0.2]] * 3, [0, 0, 1])
    >>> Temperature.of(fitted)
    Temperature(2)
    """

    temperature: Tensor

    def __init__(self, temperature: float) -> None:
        super().__init__()
        if not 0.0 < temperature < math.inf:
            raise ValueError(f"`temperature` must be a positive number; got {temperature!r}.")
        self.register_buffer("temperature", torch.tensor(float(temperature), dtype=torch.float64))

    @classmethod
    def of(cls, fitted: Any) -> Temperature:
        """Return the module for a fitted map or a result of `calibrant.repair`."""
        found = getattr(fitted, "map", fitted)
        if not isinstance(found, FittedTemperature):
            raise TypeError(f"`fitted` must be a fitted temperature; got {type(found).__name__}.")
        return cls(found.temperature)

    def forward(self, logits: Tensor) -> Tensor:
        """Return the logits divided by the temperature.

        Parameters
        ----------
        logits : tensor of any shape
            Logits.

        Returns
        -------
        Tensor
        """
        return logits / self.temperature.to(logits.dtype)

    def extra_repr(self) -> str:
        """Return the temperature, for the printed module."""
        return f"{self.temperature.item():.6g}"


class VectorScaling(torch.nn.Module):
    """Scale and shift the log-probabilities of every class: the last module of a network.

    It is not trained with the network: slopes and intercepts are buffers.

    Parameters
    ----------
    slopes, intercepts : array-like of shape (n_classes,)
        See `calibrant.recalibration.VectorScaling`.
    floor : float, default 1e-12
        Smaller probabilities are raised to it.

    Examples
    --------
    >>> import torch
    >>> from calibrant.torch import VectorScaling
    >>> module = VectorScaling([1.0, 1.0], [0.0, 1.0])
    >>> module(torch.zeros(1, 2)).softmax(dim=1)
    tensor([[0.2689, 0.7311]])

    The odds of the second class are multiplied by e.
    """

    slopes: Tensor
    intercepts: Tensor

    def __init__(self, slopes: Any, intercepts: Any, floor: float = 1e-12) -> None:
        super().__init__()
        pair = np.stack([np.asarray(slopes, dtype=float), np.asarray(intercepts, dtype=float)])
        if pair.ndim != 2 or not np.isfinite(pair).all():
            raise ValueError("`slopes` and `intercepts` must be one finite number per class each.")
        if not 0.0 < floor < 1.0:
            raise ValueError(f"`floor` must be in (0, 1), for example 1e-12; got {floor!r}.")
        self.register_buffer("slopes", torch.from_numpy(pair[0].copy()))
        self.register_buffer("intercepts", torch.from_numpy(pair[1].copy()))
        self.floor = float(floor)

    @classmethod
    def of(cls, fitted: Any) -> VectorScaling:
        """Return the module for a diagonal fitted map or a result of `calibrant.repair`."""
        found = getattr(fitted, "map", fitted)
        if not isinstance(found, LogLinear) or found.slopes.ndim == 2:
            raise TypeError(
                f"`fitted` must be a fitted map with one slope per class; got "
                f"{type(found).__name__}."
            )
        slopes = np.broadcast_to(found.slopes, found.n_classes)
        return cls(slopes, found.intercepts, found.floor)

    def forward(self, logits: Tensor) -> Tensor:
        """Return recalibrated logits.

        Parameters
        ----------
        logits : tensor of shape (…, n_classes)
            Logits.

        Returns
        -------
        Tensor
        """
        logs = logits.log_softmax(dim=-1).clamp(min=math.log(self.floor))
        return self.slopes.to(logits.dtype) * logs + self.intercepts.to(logits.dtype)

    def extra_repr(self) -> str:
        """Return the number of classes, for the printed module."""
        return f"n_classes={len(self.slopes)}"
