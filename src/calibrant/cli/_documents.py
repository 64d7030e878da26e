"""The JSON documents of the commands, from which the schema is generated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calibrant._calibration_test import CalibrationTestResult, RowsNeeded
from calibrant._followup.compare import ComparisonResult
from calibrant._followup.repair import RepairResult
from calibrant._followup.where import WhereResult
from calibrant._output import Count, document_schema
from calibrant._predictions import ClassRate
from calibrant.cli.commands.plot import PlotKind
from calibrant.cli.gate import Value
from calibrant.cli.gate._reports import Outcome
from calibrant.effects import Effect
from calibrant.io import FileFacts


@dataclass(frozen=True)
class CheckDocument:
    """What `calibrant check --json` writes."""

    input: FileFacts
    classes: tuple[ClassRate, ...]


@dataclass(frozen=True)
class VerdictDocument:
    """What `calibrant test --json` writes."""

    input: FileFacts
    seed: Count
    result: CalibrationTestResult


@dataclass(frozen=True)
class MeasureDocument:
    """What `calibrant measure --json` writes."""

    input: FileFacts
    measures: tuple[Effect, ...]


@dataclass(frozen=True)
class WhereDocument:
    """What `calibrant where --json` writes."""

    input: FileFacts
    seed: Count
    result: WhereResult


@dataclass(frozen=True)
class CompareDocument:
    """What `calibrant compare --json` writes."""

    inputs: Mapping[str, FileFacts]
    seed: Count
    result: ComparisonResult


@dataclass(frozen=True)
class RepairDocument:
    """What `calibrant repair --json` writes; `output` is the file of the map."""

    input: FileFacts
    seed: Count
    output: str | None
    result: RepairResult


@dataclass(frozen=True)
class ApplyDocument:
    """What `calibrant apply --json` writes."""

    calibrator: str
    file: str
    output: str
    map: str
    n_samples: Count


@dataclass(frozen=True)
class GateDocument:
    """What `calibrant gate --json` writes."""

    input: FileFacts
    baseline: FileFacts | None
    seed: Count
    failed: bool
    conditions: tuple[Outcome, ...]
    numbers: Mapping[Value, float]


@dataclass(frozen=True)
class PlanDocument:
    """What `calibrant plan --json` writes; `input` is null for a described model."""

    input: FileFacts | None
    seed: Count
    result: RowsNeeded


@dataclass(frozen=True)
class DemoDocument:
    """What `calibrant demo --json` writes; `repairs` has the models with evidence."""

    seed: Count
    results: Mapping[str, CalibrationTestResult]
    comparison: ComparisonResult
    repairs: Mapping[str, RepairResult]


@dataclass(frozen=True)
class Info:
    """Installed versions, and the core in use."""

    version: str
    core: str
    simd: str
    threads: Count
    python: str
    platform: str
    schema_version: int
    libraries: Mapping[str, str | None]
    formats: Mapping[str, bool]


@dataclass(frozen=True)
class InfoDocument:
    """What `calibrant info --json` writes."""

    info: Info


@dataclass(frozen=True)
class PlotDocument:
    """What `calibrant plot --json` writes; `table` contains the numbers behind the plot."""

    inputs: Mapping[str, FileFacts]
    seed: Count
    kind: PlotKind
    output: str
    title: str
    description: str
    table: Mapping[str, list[Any]]


def schema() -> dict[str, Any]:
    """Return the JSON schema of all documents, which the package ships as a file."""
    from calibrant.report import ReportDocument

    return document_schema(
        {
            "check": CheckDocument,
            "test": VerdictDocument,
            "measure": MeasureDocument,
            "where": WhereDocument,
            "compare": CompareDocument,
            "repair": RepairDocument,
            "apply": ApplyDocument,
            "gate": GateDocument,
            "plan": PlanDocument,
            "demo": DemoDocument,
            "info": InfoDocument,
            "plot": PlotDocument,
            "report": ReportDocument,
        }
    )
