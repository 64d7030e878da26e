"""Logits and log-probabilities."""

import numpy as np
from tests.io.natural._data import ANIMALS, LOGITS, MARGIN, NAMES, P_MARGIN, SOFT, Y2, Y3
from tests.io.natural._kit import Natural, csv_of

FILES = {
    "logits": Natural(
        "a.csv",
        csv_of({"label": NAMES} | {f"logit_{c}": LOGITS[:, j] for j, c in enumerate(ANIMALS)}),
        (SOFT, Y3),
        atol=1e-12,
    ),
    "one logit": Natural(
        "a.csv",
        csv_of({"label": Y2, "logit": MARGIN}),
        (np.column_stack([1 - P_MARGIN, P_MARGIN]), Y2),
        atol=1e-12,
    ),
    "log-probabilities": Natural(
        "a.csv",
        csv_of(
            {"target": Y3}
            | {f"logprob_{j}": np.log(np.maximum(SOFT[:, j], 1e-12)) for j in range(3)}
        ),
        (SOFT, Y3),
        atol=1e-9,
    ),
    "logits that do not say so": Natural(
        "a.csv",
        csv_of({"label": Y3} | {f"p_{j}": LOGITS[:, j] for j in range(3)}),
        (SOFT, Y3),
        atol=1e-12,
        needs={"logits": True},
    ),
}
