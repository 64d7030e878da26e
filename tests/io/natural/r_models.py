"""Files written by R packages: mlr3, ranger, xgboost, glm, glmnet, caret, nnet."""

import numpy as np
from tests.io.natural._data import (
    ANIMALS,
    ANSWER2,
    NAMES,
    P2,
    P3,
    TOP,
    TWO_TOP,
    Y2,
    Y3,
    YES,
    N,
    p2,
    p3,
)
from tests.io.natural._kit import Natural, csv_of, r_csv, r_table

TOP_NAMES = np.array(ANIMALS)[TOP]
YES_TOP = np.array(["no", "yes"])[TWO_TOP]
FILES = {
    "mlr3": Natural(
        "a.csv",
        csv_of({"row_ids": range(1, N + 1), "truth": NAMES, "response": TOP_NAMES} | p3("prob.{}")),
    ),
    "mlr, two classes": Natural(
        "a.csv",
        r_csv({"id": np.arange(1, N + 1), "truth": YES} | p2("prob.{}") | {"response": YES_TOP}),
        ANSWER2,
        ("no", "yes"),
    ),
    "ranger": Natural("a.csv", r_csv({"obs": NAMES} | p3("predictions.{}"))),
    "xgboost, a reshaped matrix": Natural(
        "a.csv",
        csv_of({f"V{j + 1}": P3[:, j] for j in range(3)} | {"label": Y3}),
        needs={"classes": "0,1,2"},
    ),
    "xgboost, max_prob beside": Natural(
        "a.csv",
        csv_of({f"X{j + 1}": P3[:, j] for j in range(3)} | {"label": Y3 + 1, "max_prob": TOP + 1}),
    ),
    "glm, fitted values": Natural(
        "a.csv",
        r_csv({"y": Y2, "fitted": P2[:, 1]}),
        ANSWER2,
    ),
    "glm, .fitted of broom": Natural(
        "a.csv",
        csv_of({"y": Y2, ".fitted": P2[:, 1], ".resid": Y2 - P2[:, 1]}),
        ANSWER2,
    ),
    "glmnet": Natural("a.csv", r_csv({"truth": NAMES} | p3("{}.s0"))),
    "tidymodels, the outcome's own name": Natural(
        "a.csv",
        csv_of(
            {"id": ["Fold01"] * N}
            | p3(".pred_{}")
            | {".row": range(1, N + 1), "Species": NAMES, ".pred_class": TOP_NAMES}
        ),
        needs={"label": "Species"},
    ),
    "caret, out of fold": Natural(
        "a.csv",
        r_csv(
            {"pred": YES_TOP, "obs": YES}
            | p2("{}", (1, 0))
            | {"rowIndex": np.arange(N), "alpha": np.full(N, 0.55), "lambda": np.full(N, 0.02)}
            | {"Resample": ["Fold1.Rep1"] * N}
        ),
        ANSWER2,
        ("no", "yes"),
    ),
    "parsnip, levels X0 and X1": Natural(
        "a.csv", csv_of({"truth": Y2, ".pred_0": P2[:, 0], ".pred_1": P2[:, 1]}), ANSWER2
    ),
    "nnet, make.names": Natural(
        "a.csv", r_csv({"truth": Y3} | {f"X{j}": P3[:, j] for j in range(3)})
    ),
    "pROC": Natural(
        "a.txt",
        r_table({"response": Y2, "prob": P2[:, 1]}),
        ANSWER2,
        needs={"label": "response"},
    ),
    "rms::val.prob": Natural("a.csv", csv_of({"p": P2[:, 1], "y": Y2}), ANSWER2),
}
