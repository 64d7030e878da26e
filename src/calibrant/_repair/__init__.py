"""Repair: whether to recalibrate a model, with which map, and what is left afterwards."""

from calibrant._output import publish
from calibrant._repair._candidates import Candidate, default_candidates
from calibrant._repair._changes import Change
from calibrant._repair._checks import Check
from calibrant._repair._groups import GroupChange
from calibrant._repair._repair import repair
from calibrant._repair._result import RepairResult

publish("calibrant", globals(), ["RepairResult", "repair"])
