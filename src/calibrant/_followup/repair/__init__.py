"""Repair: whether to recalibrate a model, with which map, and what remains afterwards."""

from calibrant._followup.repair._candidates import Candidate, default_candidates
from calibrant._followup.repair._changes import Change
from calibrant._followup.repair._checks import Check
from calibrant._followup.repair._groups import GroupChange
from calibrant._followup.repair._repair import repair
from calibrant._followup.repair._result import RepairResult
from calibrant._output import publish

publish(
    "calibrant",
    globals(),
    ["Candidate", "Change", "Check", "GroupChange", "RepairResult", "repair"],
)
