"""Embedded predictions of real classifiers for handwritten digits, to try calibrant on.

``tools/make_demo_data.py`` made them from a data set that ships with scikit-learn.
"""

from calibrant._output import publish
from calibrant.demo._digits import STORIES, load_digits_predictions

__all__ = ["STORIES", "load_digits_predictions"]

publish(__name__, globals(), __all__)
