"""The document behind the page, JSON, text and CSV."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from calibrant._calibration_test import CalibrationTestResult
from calibrant._followup.compare import ComparisonResult
from calibrant._followup.repair import RepairResult
from calibrant._followup.where import WhereResult
from calibrant._output import Count
from calibrant._predictions import ClassRate
from calibrant.effects import Effect
from calibrant.io import FileFacts
from calibrant.report._answers import Answers
from calibrant.report._figures import Figure
from calibrant.report._settings import About, Settings


@dataclass(frozen=True)
class Data:
    """Rows, classes and the SHA-256 of labels, probabilities, weights and clusters, little-endian.

    `ordered` means that the classes are grades in increasing order. For streamed files, `n_sampled`
    rows are in memory, for everything but the test, its effects and the classes, and there is no
    SHA-256; otherwise `n_sampled` is None.
    """

    n_samples: Count
    n_sampled: Count | None
    n_classes: Count
    weighted: bool
    n_clusters: Count | None
    ordered: bool
    sha256: str | None
    classes: tuple[ClassRate, ...]


@dataclass(frozen=True)
class ModelReport:
    """One model: `against` means p ≤ 0.05, `reach` says what could have been detected.

    `checksum` is the SHA-256 of its file; `repair` is None unless requested.
    """

    verdict: str
    against: bool
    answers: Answers
    reach: str
    input: FileFacts | None
    checksum: str | None
    data: Data
    test: CalibrationTestResult
    measures: tuple[Effect, ...]
    where: WhereResult
    repair: RepairResult | None
    figures: Mapping[str, tuple[Figure, ...]]


@dataclass(frozen=True)
class ComparisonReport:
    """The differences between models, with their plots."""

    result: ComparisonResult
    figures: Mapping[str, tuple[Figure, ...]]


@dataclass(frozen=True)
class Reproduction:
    """How to reproduce the report, and what to cite."""

    command: str | None
    core: str
    versions: Mapping[str, str | None]
    citation: str


@dataclass(frozen=True)
class ReportDocument:
    """What `calibrant report --json` writes: everything the page says."""

    title: str
    about: About
    seed: Count
    settings: Settings
    models: Mapping[str, ModelReport]
    comparison: ComparisonReport | None
    reproduce: Reproduction

    @property
    def several(self) -> bool:
        """Whether there is more than one model."""
        return len(self.models) > 1

    @property
    def data(self) -> Data:
        """Rows and classes, which all models share."""
        return next(iter(self.models.values())).data

    @property
    def sampled(self) -> str:
        """What uses only some of the rows; empty if all are in memory."""
        data = self.data
        if data.n_sampled is None:
            return ""
        return (
            f"The test, its effects and the table of classes are of all {data.n_samples:,} rows, "
            f"which stream from files. Where it is off, reliability diagrams, repair and what "
            f"could be detected need rows in memory: they are of {data.n_sampled:,} evenly spaced "
            f"ones. Other measures are left out"
        )
