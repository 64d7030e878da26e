"""The registry of logs of language-model evaluations, each with a module that returns its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from calibrant.errors import InputError, Problem
from calibrant.io._json import _inspect, _lm_eval
from calibrant.io._json._records import Record


@dataclass(frozen=True)
class Log:
    """A kind of log: its name, how it is recognized, and how to get its rows."""

    title: str
    fits: Callable[[Sequence[Record]], bool]
    rows: Callable[[Sequence[Record], str], list[Record]]

    def read(self, records: Sequence[Record], file: str) -> list[Record]:
        """Return the rows; refuse records that the program never writes."""
        try:
            return self.rows(records, file)
        except InputError:
            raise
        except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
            reason = f"{type(error).__name__}: {error}"[:120]
            raise InputError(
                Problem.BROKEN,
                f"these look like {self.title}, but contain what it does not write ({reason})",
                source=file,
                remedy="write a file with a label and one probability per class",
            ) from error


LOGS = (
    Log("samples of lm-evaluation-harness", _lm_eval.fits, _lm_eval.rows),
    Log("samples of an Inspect log", _inspect.fits, _inspect.rows),
)
