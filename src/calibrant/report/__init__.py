"""A page to share: verdict, evidence, plots, and how to reproduce it."""

from __future__ import annotations

from calibrant._output import publish
from calibrant.report._answers import Answers
from calibrant.report._document import ReportDocument
from calibrant.report._report import Report

__all__ = ["Answers", "Report"]

publish("calibrant", globals(), ["Report"])
publish(__name__, globals(), ["Answers"])
