"""Export of a calibrator as an ONNX model, to append to a network or to run separately."""

from __future__ import annotations

import json
from typing import Any, Literal

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import VERSION
from calibrant.recalibration._calibrator import Calibrator
from calibrant.recalibration._confidence_curve import FittedConfidenceCurve
from calibrant.recalibration._isotonic import FittedIsotonic
from calibrant.recalibration._log_linear import LogLinear
from calibrant.recalibration._map import FittedMap

Precision = Literal["float64", "float32"]
Takes = Literal["probabilities", "logits"]

#: every runtime since 2022 supports the operators of this version
_OPSET, _FORMAT = 17, 8


def to_onnx_model(calibrator: Calibrator, takes: Takes, precision: Precision) -> Any:
    """Return the model described in `Calibrator.to_onnx`."""
    onnx = _load_onnx()
    for name, value, known in (
        ("takes", takes, ("probabilities", "logits")),
        ("precision", precision, ("float64", "float32")),
    ):
        if value not in known:
            raise ValueError(f"`{name}` must be {known[0]!r} or {known[1]!r}; got {value!r}.")
    ends = np.dtype(precision)
    # steep lines would amplify rounding errors in single precision
    inner = ends if isinstance(calibrator.map, LogLinear) else np.dtype("float64")
    graph = _Graph(onnx, inner)
    table = takes if inner == ends else graph.cast(takes, inner)
    result = _add_map(graph, calibrator.map, table, takes)
    graph.cast(result, ends, output="recalibrated")
    model = graph.model(takes, "recalibrated", ends, len(calibrator.classes))
    about = {
        "calibrant": VERSION,
        "map": calibrator.name,
        "classes": json.dumps([str(name) for name in calibrator.classes]),
        "fingerprint": calibrator.fingerprint,
    }
    onnx.helper.set_model_props(model, about)
    onnx.checker.check_model(model, full_check=True)
    return model


def _load_onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            "`to_onnx` needs the package onnx: python -m pip install 'calibrant[onnx]'"
        ) from error
    return onnx


class _Graph:
    """A sequence of operators with their constants."""

    def __init__(self, onnx: Any, dtype: np.dtype[Any]) -> None:
        self._onnx, self.dtype = onnx, dtype
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def constant(self, values: Any, dtype: Any = None) -> str:
        """Add a constant, by default in the graph's precision, and return its name."""
        name = f"constant_{len(self._constants)}"
        array = np.asarray(values, dtype=dtype or self.dtype)
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add an operator and return the name of its output."""
        output = output or f"step_{len(self._nodes)}"
        helper = self._onnx.helper
        self._nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def cast(self, name: str, dtype: np.dtype[Any], **options: str) -> str:
        """Convert values to another precision and return their name."""
        kind = self._onnx.helper.np_dtype_to_tensor_dtype(dtype)
        return self.add("Cast", name, to=kind, **options)

    def model(self, takes: str, gives: str, dtype: np.dtype[Any], n_classes: int) -> Any:
        """Return the complete model."""
        helper = self._onnx.helper
        kind = helper.np_dtype_to_tensor_dtype(dtype)
        ends = [
            helper.make_tensor_value_info(name, kind, ["rows", n_classes])
            for name in (takes, gives)
        ]
        graph = helper.make_graph(self._nodes, "recalibration", ends[:1], ends[1:], self._constants)
        return helper.make_model(
            graph,
            producer_name="calibrant",
            producer_version=VERSION,
            opset_imports=[helper.make_opsetid("", _OPSET)],
            ir_version=_FORMAT,
        )


def _add_map(graph: _Graph, fitted: FittedMap, table: str, takes: Takes) -> str:
    """Add the operators of a calibrant map."""
    if isinstance(fitted, LogLinear):
        return _add_log_linear(graph, fitted, table, takes)
    if isinstance(fitted, FittedConfidenceCurve):
        first = _add_map(graph, fitted.first, table, takes)
        return _add_confidence_curve(graph, fitted, first)
    if isinstance(fitted, FittedIsotonic):
        table = graph.add("Softmax", table, axis=1) if takes == "logits" else table
        return _add_isotonic(graph, fitted, table)
    raise TypeError(
        f"a {type(fitted).__name__} cannot become an ONNX model: only maps of "
        "`calibrant.recalibration` can."
    )


def _add_log_linear(graph: _Graph, fitted: LogLinear, table: str, takes: Takes) -> str:
    """Add softmax(W log max(p, ε) + b)."""
    if takes == "logits":
        logs = graph.add("LogSoftmax", table, axis=1)
        logits = graph.add("Max", logs, graph.constant(np.log(fitted.floor)))
    else:
        logits = graph.add("Log", graph.add("Max", table, graph.constant(fitted.floor)))
    if fitted.slopes.ndim == 2:
        logits = graph.add("MatMul", logits, graph.constant(fitted.slopes.T))
    else:
        logits = graph.add("Mul", logits, graph.constant(fitted.slopes))
    logits = graph.add("Add", logits, graph.constant(fitted.intercepts))
    return graph.add("Softmax", logits, axis=1)


def _add_isotonic(graph: _Graph, fitted: FittedIsotonic, table: str) -> str:
    """Add the lines of every class, divided by their sum, or of the last of two classes."""
    m = fitted.n_classes
    curves = [
        _add_lines(graph, graph.add("Gather", table, graph.constant([c], np.int64), axis=1), *knots)
        for c, knots in zip([1] if m == 2 else range(m), fitted.knots, strict=True)
    ]
    if m == 2:
        rest = graph.add("Sub", graph.constant(1.0), curves[0])
        return graph.add("Concat", rest, curves[0], axis=1)
    together = graph.add("Concat", *curves, axis=1)
    total = graph.add("ReduceSum", together, graph.constant([1], np.int64), keepdims=1)
    known = graph.add("Greater", total, graph.constant(0.0))
    shares = graph.add("Div", together, graph.add("Where", known, total, graph.constant(1.0)))
    return graph.add("Where", known, shares, graph.constant(1.0 / m))


def _add_confidence_curve(graph: _Graph, fitted: FittedConfidenceCurve, table: str) -> str:
    """Add the lines of the largest probability, and scale the others by a common factor."""
    one, zero = graph.constant(1.0), graph.constant(0.0)
    classes = graph.constant(np.arange(fitted.n_classes), np.int64)
    is_top = graph.add("Equal", classes, graph.add("ArgMax", table, axis=1, keepdims=1))
    largest = graph.add("ReduceMax", table, axes=[1], keepdims=1)
    confidence = _add_lines(graph, largest, *fitted.knots)
    rest = graph.add("Where", is_top, zero, table)
    axis = graph.constant([1], np.int64)
    known = graph.add("Greater", graph.add("ReduceSum", rest, axis, keepdims=1), zero)
    rest = graph.add("Where", known, rest, graph.add("Where", is_top, zero, one))
    total = graph.add("ReduceSum", rest, axis, keepdims=1)
    factor = graph.add("Div", graph.add("Sub", one, confidence), total)
    return graph.add("Where", is_top, confidence, graph.add("Mul", rest, factor))


def _add_lines(graph: _Graph, column: str, x: FloatArray, y: FloatArray) -> str:
    """Add y₀ + Σ slope·(the part of each interval between knots that is below p)."""
    rising = np.flatnonzero((np.diff(x) > 0) & (np.diff(y) != 0))
    low, high = x[rising], x[rising + 1]
    if not rising.size:
        constant = graph.add("Mul", column, graph.constant(0.0))
        return graph.add("Add", constant, graph.constant(y[0]))
    part = graph.add("Min", column, graph.constant(high))
    part = graph.add("Max", part, graph.constant(low))
    part = graph.add("Sub", part, graph.constant(low))
    slopes = graph.constant(((y[rising + 1] - y[rising]) / (high - low))[:, None])
    return graph.add("Add", graph.add("MatMul", part, slopes), graph.constant(y[0]))
