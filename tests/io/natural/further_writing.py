"""Comments, encodings, arrays in cells, JSON by row, log-probabilities of answers."""

import json

import numpy as np
import pandas as pd
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
)
from tests.io.natural._kit import Natural, csv_of, jsonl

GERMAN = ("Hund", "Kätzchen", "Größe")
FRAME = pd.DataFrame({"label": NAMES} | p3("p_{}"))
GOOD = csv_of({"label": NAMES} | p3("p_{}"))
SURE = np.maximum(CONFIDENCE, 0.01)


def by_rows(frame):
    return frame.to_json(orient="index").encode()


def two(labels, column="prob"):
    return csv_of({"label": np.array(labels)[Y2], column: P2[:, 1]})


FILES = {
    "comments above the header": Natural("a.csv", b"# model: rf 3\n#\n# seed: 1\n" + GOOD),
    "comments without blanks": Natural(
        "a.tsv", b"#model=3\n" + csv_of({"label": NAMES} | p3("p_{}"), sep="\t")
    ),
    "comments, the header the last of them": Natural(
        "a.csv", b"# made by me\n# label,p_cat,p_dog,p_eel\n" + GOOD.split(b"\n", 1)[1]
    ),
    "labels that begin with #": Natural(
        "a.csv",
        csv_of({"label": np.array(["#a", "#b", "#c"])[Y3]} | p3("p_{}", names=("#a", "#b", "#c"))),
        classes=("#a", "#b", "#c"),
    ),
    "umlauts in Windows-1252": Natural(
        "a.csv",
        csv_of({"label": np.array(GERMAN)[Y3]} | p3("p_{}", names=GERMAN), sep=";", decimal=",")
        .decode()
        .encode("cp1252"),
        classes=GERMAN,
        needs={"encoding": "cp1252"},
    ),
    "lists of NumPy's numbers": Natural("a.csv", csv_of({"y": Y3, "probs": list(map(list, P3))})),
    "dicts of NumPy's numbers": Natural(
        "a.csv", csv_of({"y": NAMES, "probs": [dict(zip(ANIMALS, r, strict=True)) for r in P3]})
    ),
    "tensors as text": Natural(
        "a.csv",
        csv_of({"y": Y3, "probs": [f"tensor({r.tolist()}, device='cuda:0')" for r in P3]}),
    ),
    "arrays as text": Natural(
        "a.csv", csv_of({"y": Y3, "probs": [f"array({r.tolist()})" for r in P3]})
    ),
    "JSON, a row for every index": Natural("a.json", by_rows(FRAME)),
    "JSON, a row for every index, another label": Natural(
        "a.json", by_rows(FRAME.rename(columns={"label": "species"})), needs={"label": "species"}
    ),
    "JSON of arrays and classes": Natural(
        "a.json",
        json.dumps(
            {"classes": ANIMALS, "y_true": NAMES.tolist(), "y_prob": P3.tolist()}, indent=1
        ).encode(),
    ),
    "JSON of arrays and class names, labels by number": Natural(
        "a.json",
        json.dumps(
            {"class_names": ANIMALS, "labels": Y3.tolist(), "probs": P3.tolist()}
        ).encode(),
    ),
    "log-probabilities of answers": Natural(
        "a.jsonl",
        jsonl(*({"correct": bool(h), "logprob": float(np.log(c))}
                for h, c in zip(HITS, SURE, strict=True))),
        confident(HITS, SURE),
        atol=1e-12,
    ),
    "the log-probability of the predicted label": Natural(
        "a.csv",
        csv_of({"label": NAMES, "pred": np.array(ANIMALS)[TOP], "logprob": np.log(SURE)}),
        confident(HITS, SURE),
        top_label_only=True,
        atol=1e-12,
    ),
    "true, pred, conf": Natural(
        "a.csv",
        csv_of({"true": Y3, "pred": TOP, "conf": CONFIDENCE}),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "two columns of predicted labels": Natural(
        "a.csv",
        csv_of({"label": Y3, "outputs": TOP, "predicted_label": TOP, "score": CONFIDENCE}),
        confident(HITS, CONFIDENCE),
        needs={"predicted": "outputs"},
        top_label_only=True,
    ),
    "percentages in the header": Natural(
        "a.csv",
        csv_of({"label": NAMES} | {f"{c} (%)": (100 * P3[:, j]).round(1)
                                   for j, c in enumerate(ANIMALS)}),
        needs={"percent": True},
        atol=1e-15,
    ),
    "Y and N": Natural(
        "a.csv", two(["N", "Y"]), ANSWER2, ("N", "Y"), needs={"pos_label": "Y"}
    ),
    "-1 and +1": Natural(
        "a.csv", two(["-1", "+1"]), ANSWER2, ("-1", "+1"), needs={"pos_label": "+1"}
    ),
    "correct and incorrect": Natural(
        "a.csv",
        two(["incorrect", "correct"]),
        ANSWER2,
        ("incorrect", "correct"),
        needs={"pos_label": "correct"},
    ),
    "no header, the labels first": Natural(
        "a.csv",
        pd.DataFrame(np.column_stack([Y3, P3])).to_csv(index=False, header=False).encode(),
        needs={"label": "0"},
    ),
    "COMPAS": Natural(
        "a.csv",
        csv_of({"two_year_recid": Y2, "score_text": ["Low"] * N, "age": np.arange(N),
                "pred": TWO_TOP, "prob": P2[:, 1]}),
        ANSWER2,
        needs={"label": "two_year_recid"},
    ),
}  # fmt: skip
