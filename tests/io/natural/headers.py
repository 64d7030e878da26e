"""Other names of columns: P(class), KNIME, RapidMiner, H2O, Weka."""

import numpy as np
from tests.io.natural._data import (
    ANIMALS,
    ANSWER2,
    CONFIDENCE,
    HITS,
    NAMES,
    P2,
    P3,
    TOP,
    TWO_TOP,
    Y2,
    Y3,
    N,
    confident,
    p3,
    scored,
)
from tests.io.natural._kit import Natural, csv_of, jsonl

FILES = {
    "P(class)": Natural("a.csv", csv_of({"truth": NAMES} | p3("P({})"))),
    "P(y = class)": Natural(
        "a.csv", csv_of({"ground_truth": NAMES} | p3("P(y = {})", (1, 0, 2))), classes=ANIMALS
    ),
    "KNIME": Natural(
        "a.csv",
        csv_of(
            {"class": NAMES} | p3("P (class={})") | {"Prediction (class)": np.array(ANIMALS)[TOP]}
        ),
    ),
    "RapidMiner": Natural(
        "a.csv",
        csv_of(
            {"label": NAMES, "prediction(label)": np.array(ANIMALS)[TOP]} | p3("confidence({})")
        ),
    ),
    "H2O": Natural(
        "a.csv", csv_of({"predict": TWO_TOP, "p0": P2[:, 0], "p1": P2[:, 1], "gt": Y2}), ANSWER2
    ),
    "class_prob": Natural(
        "a.csv", csv_of({"gt": NAMES} | p3("{}_prob", (2, 1, 0))), classes=ANIMALS
    ),
    "zero-shot classification": Natural(
        "a.jsonl",
        jsonl(
            *(
                {
                    "sequence": "x",
                    "labels": [one["label"] for one in scored(r)],
                    "scores": [one["score"] for one in scored(r)],
                    "label": n,
                }
                for n, r in zip(NAMES, P3, strict=True)
            )
        ),
        classes=ANIMALS,
    ),
    "names with blanks": Natural(
        "a.csv", csv_of({"True Label": NAMES} | p3("Probability of {}", (1, 2, 0))), classes=ANIMALS
    ),
    "names in camel case": Natural(
        "a.csv",
        csv_of({"trueLabel": Y2, "predictedLabel": TWO_TOP, "predictedProbability": P2[:, 1]}),
        ANSWER2,
    ),
    "Weka": Natural(
        "a.csv",
        csv_of(
            {
                "inst#": range(1, N + 1),
                "actual": [f"{y + 1}:{n}" for y, n in zip(Y3, NAMES, strict=True)],
                "predicted": [f"{t + 1}:{ANIMALS[t]}" for t in TOP],
                "error": ["" if hit else "+" for hit in HITS],
                "prediction": CONFIDENCE,
            }
        ),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "a pipeline's label and score beside the true label": Natural(
        "a.csv",
        csv_of({"label": np.array(ANIMALS)[TOP], "score": CONFIDENCE, "true_label": NAMES}),
        confident(HITS, CONFIDENCE),
        needs={"label": "true_label"},
        top_label_only=True,
    ),
}
