"""Predictions of real digit classifiers, for trying out calibrant.

They were created by ``tools/make_demo_data.py`` from a data set that ships with scikit-learn.
"""

from calibrant._output import publish
from calibrant.demo._digits import STORIES, load_digits_predictions

__all__ = ["STORIES", "load_digits_predictions"]

publish(__name__, globals(), __all__)
