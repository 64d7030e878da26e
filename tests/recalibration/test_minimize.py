"""The search for a penalized minimum ends when rounding hides the gain."""

import numpy as np

from calibrant.recalibration import VectorScaling
from calibrant.recalibration._likelihood import Affine


def test_a_search_ends_where_rounding_hides_the_gain(monkeypatch):
    passes = []
    sums = Affine.sums
    monkeypatch.setattr(Affine, "sums", lambda *args, **options: (
        passes.append(args), sums(*args, **options))[1])  # fmt: skip
    labels = np.arange(12) % 3
    certain = np.eye(3)[labels]  # whose loss is rounding
    fitted = VectorScaling().fit(certain, labels)
    assert len(passes) < 60
    np.testing.assert_allclose(fitted.predict_proba(certain), certain, atol=1e-9)
