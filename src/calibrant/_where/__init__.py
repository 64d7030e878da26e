"""Where a model is not calibrated: which classes, which confidence, which groups of rows."""

from calibrant._output import publish
from calibrant._where._finding import Finding, region_of, share_text
from calibrant._where._groups import Partition, read_groups
from calibrant._where._result import WhereResult
from calibrant._where._where import where
from calibrant._where._witness import Witness

publish("calibrant", globals(), ["WhereResult", "where"])
