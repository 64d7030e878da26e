"""What a file was understood to hold, as documents say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibrant._output import Count, number
from calibrant._predictions import name_text
from calibrant.io._prediction_file import PredictionFile, Understanding
from calibrant.io._scan import PredictionScan

#: longer lists of columns are cut
_LISTED = 20


@dataclass(frozen=True, kw_only=True)
class FileFacts(Understanding):
    """What a file was understood to hold: its columns, rows and classes."""

    n_samples: Count
    n_classes: Count
    class_names: tuple[str, ...]

    @classmethod
    def of(cls, file: PredictionFile | PredictionScan) -> FileFacts:
        """Return the facts of a file that was read, or is read in parts."""
        rows = file.predictions if isinstance(file, PredictionFile) else file
        names = tuple(str(name) for name in rows.classes)
        return cls(**vars(file.understood), n_samples=rows.n_samples, n_classes=rows.n_classes,
                   class_names=names)  # fmt: skip

    @property
    def facts(self) -> list[tuple[str, str]]:
        """How the file was understood, as names and texts; what it lacks is left out."""
        source = f" of {self.labels_file}" if self.labels_file else ""
        rows = [
            ("format", f"{self.format}, numbers as {self.dtype}"),
            ("labels", f"{_list(self.label_columns)}{source}"),
            ("logits" if self.logits else "probabilities", _list(self.probability_columns)),
            ("weights", self.weight_column or ""),
            ("identifier", self.id_column or ""),
            ("groups", _list(self.group_columns)),
            ("not used", _list(self.ignored_columns)),
            ("row sums", _sums(self.row_sums, self.normalized)),
        ]
        return [(name, text) for name, text in rows if text]


def _list(names: Sequence[str]) -> str:
    text = ", ".join(name_text(name, 40) for name in names[:_LISTED])
    return f"{text}, … ({len(names)} in all)" if len(names) > _LISTED else text


def _sums(sums: tuple[float, float] | None, normalized: bool) -> str:
    if sums is None:
        return ""
    low, high = (number(end, 9) for end in sums)
    text = low if low == high else f"{low} to {high}"
    return f"{text}, divided out" if normalized else text
