"""Submissions and out-of-fold predictions of Kaggle."""

import numpy as np
from tests.io.natural._data import ANSWER2, P2, Y2, Y3, N, p3
from tests.io.natural._kit import Natural, csv_of

otto = np.array([f"Class_{j + 1}" for j in range(3)])

FILES = {
    "Kaggle, Class_1": Natural(
        "a.csv",
        csv_of({"id": range(1, N + 1), "target": otto[Y3]} | p3("{}", (1, 2, 0), otto)),
        classes=tuple(otto),
    ),
    "Kaggle, Class_1 with labels from 1": Natural(
        "a.csv", csv_of({"id": range(1, N + 1)} | p3("{}", (0, 1, 2), otto) | {"target": Y3 + 1})
    ),
    "Kaggle, prediction": Natural(
        "a.csv", csv_of({"id": range(N), "target": Y2, "prediction": P2[:, 1]}), ANSWER2
    ),
}
