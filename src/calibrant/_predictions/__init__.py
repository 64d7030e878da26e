"""The one door for data: everything a user passes in is checked here, once."""

from calibrant._predictions._as_predictions import as_predictions
from calibrant._predictions._predictions import Predictions
from calibrant._predictions._probabilities import RowSumWarning

__all__ = ["Predictions", "RowSumWarning", "as_predictions"]
