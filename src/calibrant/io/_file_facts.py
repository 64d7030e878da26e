"""What a file was understood to hold, as documents say it."""

from __future__ import annotations

from dataclasses import dataclass

from calibrant._output import Count
from calibrant.io._prediction_file import PredictionFile, Understanding
from calibrant.io._scan import PredictionScan


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
