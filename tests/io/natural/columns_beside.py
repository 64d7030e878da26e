"""Columns beside the probabilities: spreads, limits, ranks, copies, other models, features."""

import numpy as np
from tests.io.natural._data import (
    ANIMALS,
    ANSWER2,
    ANSWER3,
    CONFIDENCE,
    LOGITS,
    NAMES,
    P2,
    P3,
    SOFT,
    TOP,
    TWO_TOP,
    Y2,
    Y3,
    N,
    p3,
)
from tests.io.natural._kit import Natural, csv_of

_rng = np.random.default_rng(8)
AGE = np.round(_rng.random(N), 3)
RISK = P2[:, 1]
SPLIT = np.array(["train", "test"])[_rng.integers(2, size=N)]
HOURS = np.arange("2026-01-01", N, dtype="datetime64[h]").astype(str)


def two(**columns):
    return Natural("a.csv", csv_of({"y": Y2} | columns), ANSWER2)


FILES = {
    "prob and prob_std": two(prob=RISK, prob_std=AGE / 9),
    "prob with limits": two(prob=RISK, prob_lower=0.9 * RISK, prob_upper=0.9 * RISK + 0.1),
    "p_hat with limits": two(p_hat=RISK, p_lwr=0.9 * RISK, p_upr=0.9 * RISK + 0.1),
    "a prediction and its rounding": two(prediction=RISK, prediction_rounded=TWO_TOP),
    "a prediction and its spread": two(prediction=RISK, prediction_std=AGE / 9),
    "a prediction and a p-value": two(pred=RISK, p_value=AGE),
    "a score and its decile": two(score=RISK, score_decile=(10 * RISK).astype(int)),
    "a scaled feature, a weight and a fold": two(
        age_scaled=AGE, weight=AGE + 0.1, fold=np.arange(N) % 5, prob=RISK
    ),
    "a split, times and a version": two(
        split=SPLIT, timestamp=HOURS, version=["v1.2"] * N, y_score=RISK
    ),
    "a prediction and another model": Natural(
        "a.csv",
        csv_of({"y": Y2, "prediction": RISK, "pred_lgbm": AGE}),
        ANSWER2,
        needs={"prob": "prediction"},
    ),
    "two models after a word": Natural(
        "a.csv",
        csv_of({"y": Y2, "pred_lgbm": RISK, "pred_xgb": RISK**2}),
        ANSWER2,
        needs={"prob": "pred_lgbm"},
    ),
    "classes called like limits": Natural(
        "a.csv",
        csv_of({"y": np.array(["lo", "hi"])[Y2], "p_lo": P2[:, 0], "p_hi": RISK}),
        ANSWER2,
        ("lo", "hi"),
    ),
    "classes called like limits, labels by number": Natural(
        "a.csv",
        csv_of({"y": Y2, "prob_min": P2[:, 0], "prob_max": RISK}),
        ANSWER2,
    ),
    "raw and calibrated": Natural(
        "a.csv",
        csv_of({"y": Y2, "prob_raw": RISK, "prob_calibrated": RISK**1.1}),
        ANSWER2,
        needs={"prob": "prob_raw"},
    ),
    "the largest one, called like a class": Natural(
        "a.csv", csv_of({"y": NAMES} | p3("prob_{}") | {"prob_max": CONFIDENCE})
    ),
    "a column twice, as pandas renames it": Natural(
        "a.csv", csv_of({"y": NAMES} | p3("p_{}") | {"p_cat.1": P3[:, 0]})
    ),
    "lower limits of every class": Natural(
        "a.csv", csv_of({"y": NAMES} | p3("p_{}") | {f"p_{c}_lo": P3[:, 0] / 2 for c in ANIMALS})
    ),
    "the probability of the prediction beside all": Natural(
        "a.csv",
        csv_of({"y": NAMES, "y_pred": np.array(ANIMALS)[TOP]} | p3("y_prob_{}")
               | {"y_pred_prob": CONFIDENCE}),
    ),
    "features between 0 and 1 and classes by name": Natural(
        "a.csv", csv_of({f"f{i}": np.roll(AGE, i) for i in range(3)} | {"y": NAMES} | p3("{}"))
    ),
    "features between 0 and 1 and classes by number": Natural(
        "a.csv", csv_of({"fold": np.arange(N) % 5, "x": AGE, "y": Y3} | p3("{}", names="012"))
    ),
    "classes False and True": Natural(
        "a.csv",
        csv_of({"y": Y2.astype(bool), "False": P2[:, 0], "True": RISK}),
        ANSWER2,
        ("False", "True"),
    ),
    "decision_function": Natural(
        "a.csv",
        csv_of({"label": Y2, "decision_function": LOGITS[:, 0] - 2.0}),
        (np.column_stack([1 / (1 + np.exp(LOGITS[:, 0] - 2)), 1 / (1 + np.exp(2 - LOGITS[:, 0]))]),
         Y2),
        needs={"logits": True},
        atol=1e-12,
    ),
    "logits between words": Natural(
        "a.csv",
        csv_of({"label": NAMES} | {f"decision_{c}": LOGITS[:, j] for j, c in enumerate(ANIMALS)}),
        (SOFT, Y3),
        needs={"logits": True},
        atol=1e-12,
    ),
    "logits of classes by name": Natural(
        "a.csv",
        csv_of({"label": NAMES} | {c: LOGITS[:, j] for j, c in enumerate(ANIMALS)}),
        (SOFT, Y3),
        needs={"logits": True},
        atol=1e-12,
    ),
    "one-hot labels that are true and false": Natural(
        "a.csv",
        csv_of({f"label_{c}": j == Y3 for j, c in enumerate(ANIMALS)} | p3("prob_{}")),
        ANSWER3,
        needs={"onehot": True},
    ),
}  # fmt: skip
