"""Files written by pandas."""

import pandas as pd
from tests.io.natural._data import ANSWER2, NAMES, P2, P3, TWO_TOP, Y2, Y3, YES, N, p3
from tests.io.natural._kit import Natural, csv_of

FILES = {
    "pandas, with its index": Natural("a.csv", csv_of({"label": NAMES} | p3("p_{}"), index=True)),
    "pandas, y_pred and pred_0": Natural(
        "a.csv",
        csv_of({"y_true": Y2, "y_pred": TWO_TOP, "pred_0": P2[:, 0], "pred_1": P2[:, 1]}),
        ANSWER2,
    ),
    "pandas, target and y_pred_proba": Natural(
        "a.csv", csv_of({"target": Y2, "y_pred_proba": P2[:, 1]}), ANSWER2
    ),
    "outcome yes/no with prob": Natural(
        "a.csv",
        csv_of({"outcome": YES, "prob": P2[:, 1]}),
        ANSWER2,
        classes=("no", "yes"),
        needs={"pos_label": "yes"},
    ),
    "outcome True/False with risk": Natural(
        "a.csv", csv_of({"patient": range(N), "outcome": Y2 == 1, "risk": P2[:, 1]}), ANSWER2
    ),
    "actual and predicted_probability": Natural(
        "a.csv",
        csv_of({"actual": Y2, "predicted": TWO_TOP, "predicted_probability": P2[:, 1]}),
        ANSWER2,
    ),
    "y_test and a matrix of numbers": Natural(
        "a.csv", csv_of({"y_test": Y3} | {str(j): P3[:, j] for j in range(3)}, index=True)
    ),
    "pandas to_json": Natural(
        "a.json", pd.DataFrame({"label": NAMES} | p3("p_{}")).to_json().encode()
    ),
    "pandas to_json, split": Natural(
        "a.json", pd.DataFrame({"label": NAMES} | p3("{}")).to_json(orient="split").encode()
    ),
}
