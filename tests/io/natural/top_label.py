"""Only the predicted label and its confidence."""

import numpy as np
from tests.io.natural._data import (
    ANIMALS,
    ANSWER2,
    CONFIDENCE,
    HITS,
    NAMES,
    P2,
    TOP,
    TWO_TOP,
    Y2,
    Y3,
    YES,
    N,
    confident,
)
from tests.io.natural._kit import Natural, csv_of, jsonl

FILES = {
    "label, prediction, confidence": Natural(
        "a.csv",
        csv_of({"label": NAMES, "prediction": np.array(ANIMALS)[TOP], "confidence": CONFIDENCE}),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "label, pred, score": Natural(
        "a.csv",
        csv_of({"id": range(N), "pred": TOP, "score": CONFIDENCE, "actual": Y3}),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "two labels, prediction, confidence": Natural(
        "a.jsonl",
        jsonl(
            *(
                {
                    "label": YES[i],
                    "predicted_label": ["no", "yes"][TWO_TOP[i]],
                    "confidence": float(P2[i].max()),
                }
                for i in range(N)
            )
        ),
        confident(TWO_TOP == Y2, P2.max(axis=1)),
        top_label_only=True,
    ),
    "prediction, confidence and correctness": Natural(
        "a.csv",
        csv_of(
            {
                "label": NAMES,
                "prediction": np.array(ANIMALS)[TOP],
                "confidence": CONFIDENCE,
                "correct": HITS,
            }
        ),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "the right answer, the prediction, the confidence": Natural(
        "a.csv",
        csv_of({"correct": NAMES, "prediction": np.array(ANIMALS)[TOP], "confidence": CONFIDENCE}),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "two labels and a confidence below 1/2": Natural(
        "a.csv",
        csv_of({"label": Y2, "prediction": TWO_TOP, "confidence": P2[:, 1]}),
        ANSWER2,
        needs={"prob": "confidence"},
    ),
}
