"""Reports of a gate for pipelines: JUnit XML and GitHub annotations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from calibrant._output import Plain, number
from calibrant.cli.gate._grammar import Value

#: a number in a condition
_LIMIT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Outcome(Plain):
    """The outcome of a gate condition, with its numbers."""

    condition: str
    failed: bool
    numbers: Mapping[Value, float]

    def describe(self) -> str:
        """Return the numbers in one line."""
        return ", ".join(f"{name} = {self._shown(value)}" for name, value in self.numbers.items())

    def _shown(self, value: float) -> str:
        """Return a number as in other commands, with more digits if rounding gives a limit."""
        limits = {float(text) for text in _LIMIT.findall(self.condition)}
        for digits in range(3, 17):
            if value in limits or float(f"{value:.{digits}g}") not in limits:
                break
        return number(value, digits)


def junit_xml(file: str, outcomes: Sequence[Outcome]) -> str:
    """Return a reproducible JUnit report, without times, with one test for every condition."""
    failures = sum(outcome.failed for outcome in outcomes)
    counts = {"tests": str(len(outcomes)), "failures": str(failures), "errors": "0"}
    suites = ElementTree.Element("testsuites", {"name": "calibrant", **counts})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "calibrant gate", **counts})
    for outcome in outcomes:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _legal(file), "name": _legal(outcome.condition)}
        )
        if outcome.failed:
            message = f"{outcome.condition}: {outcome.describe()}"
            failure = ElementTree.SubElement(case, "failure", {"message": _legal(message)})
            failure.text = _legal(f"{file} fails the gate: {message}")
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def github_annotations(file: str, outcomes: Sequence[Outcome]) -> list[str]:
    """Return GitHub's workflow commands, one for every condition that holds."""
    return [
        f"::error file={_property(file)},title=calibrant gate::"
        + _data(f"{outcome.condition} holds: {outcome.describe()}")
        for outcome in outcomes
        if outcome.failed
    ]


def _legal(text: str) -> str:
    """Remove characters that XML does not allow."""
    return "".join(c if c.isprintable() or c in "\n\t" else "�" for c in text)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
