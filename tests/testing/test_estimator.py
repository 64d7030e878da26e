"""check_estimator passes our errors and catches every broken rule."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from calibrant import ECE, KCE, MCE, MMCE, SKCE, UCME, Estimator
from calibrant._predictions import Predictions
from calibrant.binning import MedianVariance, Quantile, Uniform
from calibrant.kernels import Classwise, Gaussian, Laplacian
from calibrant.testing import check_estimator


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize(
    "estimator",
    [
        ECE(),
        ECE(MedianVariance(min_size=5), "euclidean", 2),
        MCE(Uniform(3)),
        SKCE(),
        SKCE(Gaussian(0.3), unbiased=False),
        SKCE(Classwise(Laplacian(0.3))),
        KCE(),
        MMCE(),
    ],
    ids=repr,
)
def test_our_errors_pass(core, estimator, n_classes):
    check_estimator(estimator, n_classes=n_classes)


def test_our_errors_for_a_number_of_classes_pass(core):
    check_estimator(ECE(Quantile(4), "sqeuclidean"), n_classes=2)
    check_estimator(UCME(Gaussian(0.5), [([0.2, 0.3, 0.5], 1), ([1.0, 0.0, 0.0], 0)]), n_classes=3)
    check_estimator(SKCE(Laplacian(0.3) * np.diag([1.0, 2.0, 3.0])), n_classes=3)


def test_blocks_pass_where_order_may_matter(core):
    check_estimator(SKCE(block_size=2), order_matters=True)
    with pytest.raises(ValueError, match="must not depend on the order of the rows"):
        check_estimator(SKCE(block_size=2))


@dataclass(frozen=True)
class Brier(Estimator):
    """A mean that obeys all rules, to be broken below."""

    def estimate(self, predictions, parallel=None):
        squares = np.sum(predictions.residuals**2, axis=1)
        return float(np.average(squares, weights=predictions.sample_weight))


def test_a_good_error_of_a_third_party_passes():
    check_estimator(Brier())


class NumPyFloat(Brier):
    def estimate(self, predictions, parallel=None):
        return np.float64(super().estimate(predictions))


class NotFinite(Brier):
    def estimate(self, predictions, parallel=None):
        spread = np.ptp(predictions.y_prob)
        return super().estimate(predictions) / float(spread) if spread else float("nan")


class Random(Brier):
    def estimate(self, predictions, parallel=None):
        return super().estimate(predictions) + float(np.random.default_rng().random())


class Threaded(Brier):
    def estimate(self, predictions, parallel=None):
        return super().estimate(predictions) + (0.1 if parallel and parallel.n_jobs == 2 else 0.0)


class First(Brier):
    def estimate(self, predictions, parallel=None):
        return super().estimate(predictions) + float(predictions.y_prob[0, 0])


class WithoutWeights(Brier):
    def estimate(self, predictions, parallel=None):
        return float(np.sum(predictions.residuals**2, axis=1).mean())


class SumOfWeights(Brier):
    def estimate(self, predictions, parallel=None):
        return float(np.sum(predictions.weighted_residuals**2))


class Changing(Brier):
    def estimate(self, predictions, parallel=None):
        predictions.y_prob[0] = 0.0
        return 0.0


class Own(Brier):
    def __call__(self, y_true, y_prob=None, *, classes=None, **options):
        if isinstance(y_true, Predictions):
            return self.estimate(y_true)
        if np.ndim(y_true) == 2:  # "helpful"
            y_true, y_prob = y_prob, y_true
        return self.estimate(Predictions(y_true, y_prob, classes=classes))


class Overwriting(Brier):
    def __call__(self, y_true, y_prob=None, **options):
        value = super().__call__(y_true, y_prob, **options)
        if isinstance(y_prob, np.ndarray):
            y_prob *= 1.0 + 1e-15
        return value


class Renaming(Brier):
    def __call__(self, y_true, y_prob=None, *, classes=None, **options):
        value = super().__call__(y_true, y_prob, classes=classes, **options)
        return value if classes is None else value + 1.0


class OverLabels(Brier):
    def over_labels(self, predictions, labels, parallel=None):
        return super().over_labels(predictions, labels) * 2.0


class Many(Brier):
    def many(self, y_true, y_prob, parallel=None):
        return super().many(y_true, y_prob)[::-1]


class Shape(Brier):
    def over_labels(self, predictions, labels, parallel=None):
        return super().over_labels(predictions, labels).mean()


@dataclass
class Mutable(Brier.__mro__[1]):
    def estimate(self, predictions, parallel=None):
        return 0.0


@dataclass(frozen=True)
class Unhashable(Brier):
    edges: list = field(default_factory=list)


@dataclass(frozen=True)
class Locked(Brier):
    lock: object = field(default_factory=lambda: (value for value in ()))

    def __deepcopy__(self, memory):
        return self


@dataclass(frozen=True)
class Silent(Brier):
    scale: float = 1.0

    def __repr__(self):
        return "Silent()"


@dataclass(frozen=True)
class Wordy(Brier):
    def __repr__(self):
        return "a wordy Brier score"


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (NumPyFloat(), "must return a finite Python float; got .* of type float64"),
        (NotFinite(), "got nan of type float for uniform predictions"),
        (Random(), "must be the same at every call and on any number of threads"),
        (Threaded(), "with n_jobs=2"),
        (First(), r"must not depend on the order of the rows; got .* `order_matters=True`"),
        (WithoutWeights(), "must use the sample weights"),
        (SumOfWeights(), "must be the same with equal weights and without"),
        (Changing(), "must not modify the predictions"),
        (Own(), "swapped arguments must be refused"),
        (Overwriting(), "must not modify its arguments"),
        (Renaming(), "for names of classes and for their indices"),
        (OverLabels(), "must be the same in `over_labels` and alone"),
        (Many(), "must be the same in `many` and alone"),
        (Shape(), r"`over_labels` must return an array of shape \(3,\)"),
        (Mutable(), r"must be immutable; Mutable can be changed. Use @dataclass\(frozen=True\)"),
        (Unhashable(), "must be hashable"),
        (Locked(), "must be picklable, so that processes can share the work"),
        (Silent(2.0), "must be equal to what its repr says; got Silent"),
        (Wordy(), "the repr of an estimator must be code that makes it again; a wordy"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_broken_rules_are_caught(estimator, message):
    with pytest.raises(ValueError, match=message):
        check_estimator(estimator)


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="`estimator` must be an Estimator; got 3"):
        check_estimator(3)
