"""Two classes, and the many names of one probability."""

import numpy as np
from tests.io.natural._data import ANSWER2, FEATURES, P2, TWO_TOP, Y2, YES, N, p2
from tests.io.natural._kit import Natural, csv_of, jsonl

SPAM = np.array(["ham", "spam"])
FLIPPED = (P2[:, ::-1], 1 - Y2)
FILES = {
    "proba_1": Natural("a.csv", csv_of({"target": Y2, "proba_1": P2[:, 1]}), ANSWER2),
    "p(y=1)": Natural("a.csv", csv_of({"y": Y2, "p(y=1)": P2[:, 1]}), ANSWER2),
    "P(y=1|x)": Natural("a.csv", csv_of({"y": Y2, "P(y=1|x)": P2[:, 1]}), ANSWER2),
    "P(Y=0) only": Natural("a.csv", csv_of({"y": Y2, "P(Y=0)": P2[:, 0]}), FLIPPED, ("1", "0")),
    "proba_0 only": Natural("a.csv", csv_of({"y": Y2, "proba_0": P2[:, 0]}), FLIPPED, ("1", "0")),
    "prob_positive": Natural("a.csv", csv_of({"y_true": Y2, "prob_positive": P2[:, 1]}), ANSWER2),
    "prob_pos": Natural("a.csv", csv_of({"label": Y2, "prob_pos": P2[:, 1]}), ANSWER2),
    "positive_class_probability": Natural(
        "a.csv", csv_of({"label": Y2, "positive_class_probability": P2[:, 1]}), ANSWER2
    ),
    "y_hat that is a fraction": Natural("a.csv", csv_of({"y": Y2, "y_hat": P2[:, 1]}), ANSWER2),
    "yhat and yhat_prob": Natural(
        "a.csv", csv_of({"y": Y2, "yhat": TWO_TOP, "yhat_prob": P2[:, 1]}), ANSWER2
    ),
    "pred and score of class 1": Natural(
        "a.csv", csv_of({"y": Y2, "pred": TWO_TOP, "score": P2[:, 1]}), ANSWER2
    ),
    "spam, prob_spam and a word as label": Natural(
        "a.csv", csv_of({"label": SPAM[Y2], "prob_spam": P2[:, 1]}), ANSWER2, ("ham", "spam")
    ),
    "spam, the probability of ham": Natural(
        "a.csv", csv_of({"label": SPAM[Y2], "prob_ham": P2[:, 0]}), FLIPPED, ("spam", "ham")
    ),
    "spam, both": Natural(
        "a.csv",
        csv_of({"spam": P2[:, 1], "ham": P2[:, 0], "label": SPAM[Y2]}),
        ANSWER2,
        ("ham", "spam"),
    ),
    "fraud_probability": Natural(
        "a.csv",
        csv_of({"is_fraud": Y2, "fraud_probability": P2[:, 1]}),
        ANSWER2,
        needs={"label": "is_fraud"},
    ),
    "default and pd": Natural(
        "a.csv",
        csv_of({"loan_id": range(N), "default_flag": Y2, "PD": P2[:, 1]}),
        ANSWER2,
        needs={"label": "default_flag"},
    ),
    "event and predicted risk at one year": Natural(
        "a.csv",
        csv_of({"event": Y2, "predicted_risk": P2[:, 1], "age": FEATURES["sepal_length"]}),
        ANSWER2,
    ),
    "survived and survival_prob": Natural(
        "a.csv",
        csv_of({"PassengerId": range(N), "Survived": Y2, "Survived_proba": P2[:, 1]}),
        ANSWER2,
        needs={"label": "Survived"},
    ),
    "labels -1 and 1": Natural(
        "a.csv",
        csv_of({"label": 2 * Y2 - 1, "prob": P2[:, 1]}),
        ANSWER2,
        needs={"pos_label": "1"},
    ),
    "labels 1 and 2": Natural(
        "a.csv", csv_of({"class": Y2 + 1, "prob": P2[:, 1]}), ANSWER2, needs={"pos_label": "2"}
    ),
    "two models": Natural(
        "a.csv",
        csv_of({"y": Y2, "prob_lr": P2[:, 1], "prob_rf": P2[:, 1] ** 2}),
        ANSWER2,
        needs={"prob": "prob_lr"},
    ),
    "out of fold": Natural(
        "oof.csv",
        csv_of({"id": range(N), "fold": np.arange(N) % 5, "target": Y2, "oof": P2[:, 1]}),
        ANSWER2,
    ),
    "oof_pred": Natural(
        "oof.csv", csv_of({"fold": np.arange(N) % 5, "target": Y2, "oof_pred": P2[:, 1]}), ANSWER2
    ),
    "true/false in JSON": Natural(
        "a.jsonl",
        jsonl(
            *({"is_spam": bool(y), "p_spam": float(p)} for y, p in zip(Y2, P2[:, 1], strict=True))
        ),
        ANSWER2,
        needs={"label": "is_spam"},
    ),
    "y with both in percent": Natural(
        "a.csv",
        csv_of({"label": YES} | {k: 100 * v for k, v in p2("p_{}").items()}),
        ANSWER2,
        needs={"percent": True},
        atol=1e-15,
        classes=("no", "yes"),
    ),
}
