"""Where a model is not calibrated: which classes, which confidence, which groups of rows."""

from calibrant._followup.where._finding import Finding, region_of, share_text
from calibrant._followup.where._groups import Partition, read_groups
from calibrant._followup.where._result import WhereResult
from calibrant._followup.where._where import where
from calibrant._followup.where._witness import Witness
from calibrant._output import publish

publish("calibrant", globals(), ["Finding", "WhereResult", "Witness", "where"])
