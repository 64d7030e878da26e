"""A fitted map with its class names and evidence, as written to a file."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from calibrant._native import FloatArray
from calibrant._output import replacing, to_json
from calibrant._predictions import listed, match_columns, read
from calibrant.errors import DataError, Problem
from calibrant.recalibration._map import FittedMap


@dataclass(frozen=True, eq=False)
class Calibrator:
    """A fitted map, ready to apply, with its class names and evidence.

    Parameters
    ----------
    map : FittedMap
        The fitted map.
    name : str
        The family of the map, such as ``temperature``.
    classes : tuple
        Names in the order of the columns.
    fingerprint : str
        Fingerprint of the rows that the map was fitted to.
    evidence : mapping
        Evidence about the repair, as plain values.

    Examples
    --------
    >>> from calibrant.recalibration import Calibrator, Temperature
    >>> fitted = Temperature().fit([[0.8, 0.2]] * 3, [0, 0, 1])
    >>> calibrator = Calibrator(fitted, "temperature", ("cat", "dog"))
    >>> calibrator.apply([[0.8, 0.2]]).round(3)
    array([[0.667, 0.333]])
    >>> print(calibrator.describe())
    Divide the logits by 2
    """

    map: FittedMap
    name: str
    classes: tuple[Hashable, ...]
    fingerprint: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if len(self.classes) != self.map.n_classes:
            raise ValueError(
                f"`classes` must name the {self.map.n_classes} classes of the map; got "
                f"{len(self.classes)}."
            )

    def apply(self, y_prob: Any) -> FloatArray:
        """Return recalibrated probabilities, float64 of shape (n_samples, n_classes).

        Cost O(n·m) for diagonal maps; memory of the answer.

        Parameters
        ----------
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
            Columns in the order of `classes`; a frame with other names is refused.

        Returns
        -------
        ndarray of float64, shape (n_samples, n_classes)
        """
        source = read(y_prob, "y_prob")
        if source.names is not None and len(source.names) > 1:
            self._require_names(source.names)
        return self.map.predict_proba(source)

    def predict_proba(self, y_prob: Any) -> FloatArray:
        """Return recalibrated probabilities; an alias of `apply` for classifier interfaces."""
        return self.apply(y_prob)

    def describe(self) -> str:
        """Return a phrase that says what the map does to the predictions."""
        from calibrant.recalibration._describe import describe

        return describe(self)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the JSON text, and write it atomically if a path is given.

        Parameters
        ----------
        path : path, optional
            The file to write.

        Returns
        -------
        str
        """
        from calibrant.recalibration._file import to_document

        text = to_json(to_document(self))
        if path is not None:
            with replacing(Path(path)) as stream:
                stream.write(text.encode())
        return text

    def to_onnx(
        self,
        path: str | Path | None = None,
        *,
        takes: Literal["probabilities", "logits"] = "probabilities",
        precision: Literal["float64", "float32"] = "float64",
    ) -> Any:
        """Return the calibrator as an ONNX model, and write it if a path is given.

        The model consists of standard operators. Its input has the name in `takes`, its output is
        ``recalibrated``; both have shape (rows, n_classes). The metadata contain the class names
        and the fingerprint. The output equals `apply` to 1e-12 in float64, and to 2e-6 in float32.
        Requires the package onnx (``calibrant[onnx]``).

        Parameters
        ----------
        path : path, optional
            The file to write.
        takes : {"probabilities", "logits"}
            The input; with ``logits`` you can append the model to a network.
        precision : {"float64", "float32"}
            The type of input, output and parameters.

        Returns
        -------
        onnx.ModelProto
        """
        from calibrant.recalibration._onnx import to_onnx_model

        model = to_onnx_model(self, takes, precision)
        if path is not None:
            with replacing(Path(path)) as stream:
                stream.write(model.SerializeToString())
        return model

    def _require_names(self, names: tuple[Hashable, ...]) -> None:
        order = match_columns(names, self.classes) if len(names) == len(self.classes) else None
        if order == list(range(len(self.classes))) or names == tuple(range(len(names))):
            return
        remedy = "put the columns into this order"
        if order is None:
            remedy = "apply it to predictions of the classifier that it was fitted to"
        raise DataError(
            Problem.CLASSES,
            f"must have the columns of the calibrator: {listed(self.classes)}",
            argument="y_prob",
            got=listed(names),
            remedy=remedy,
        )
