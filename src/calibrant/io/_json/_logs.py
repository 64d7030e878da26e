"""Logs of language-model evaluations, turned into rows: a file each, one entry here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from calibrant.io._json import _inspect, _lm_eval
from calibrant.io._json._records import Record


@dataclass(frozen=True)
class Log:
    """A kind of log: what it is called, how it is recognized, and its rows."""

    title: str
    fits: Callable[[Sequence[Record]], bool]
    rows: Callable[[Sequence[Record], str], list[Record]]


LOGS = (
    Log("samples of lm-evaluation-harness", _lm_eval.fits, _lm_eval.rows),
    Log("samples of an Inspect log", _inspect.fits, _inspect.rows),
)
