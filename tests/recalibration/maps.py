"""Every map of more than two classes, for laws that hold for all of them."""

from calibrant.recalibration import (
    ClassPrior,
    ConfidenceCurve,
    DirichletScaling,
    Identity,
    Isotonic,
    Temperature,
    VectorScaling,
)

MAPS = [
    Identity(),
    Temperature(),
    ClassPrior(),
    VectorScaling(),
    DirichletScaling(),
    Isotonic(),
    ConfidenceCurve(),
    ConfidenceCurve(VectorScaling()),
    ConfidenceCurve(DirichletScaling()),
    ConfidenceCurve(Isotonic()),
]
