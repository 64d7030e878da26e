"""Outputs of Hugging Face: LABEL_0, and lists in a cell."""

from tests.io.natural._data import ANIMALS, FEATURES, LOGITS, NAMES, P3, SOFT, Y3, p3, scored
from tests.io.natural._kit import Natural, csv_of, jsonl, parquet

FILES = {
    "Hugging Face, LABEL_0": Natural(
        "a.csv",
        csv_of(
            {"text": FEATURES["text"]}
            | p3("{}", (0, 1, 2), ["LABEL_0", "LABEL_1", "LABEL_2"])
            | {"label": Y3}
        ),
    ),
    "Hugging Face, LABEL_0 as labels too": Natural(
        "a.csv",
        csv_of(
            {"label": [f"LABEL_{j}" for j in Y3]}
            | p3("{}", (2, 1, 0), ["LABEL_0", "LABEL_1", "LABEL_2"])
        ),
        classes=("LABEL_0", "LABEL_1", "LABEL_2"),
    ),
    "a list in a cell of CSV": Natural(
        "a.csv",
        csv_of({"text": FEATURES["text"], "label": Y3, "probs": [str(r.tolist()) for r in P3]}),
    ),
    "a list as NumPy prints it": Natural(
        "a.csv", csv_of({"label": Y3, "probabilities": [str(r) for r in P3]})
    ),
    "label and score in a cell of CSV": Natural(
        "a.csv",
        csv_of({"label": NAMES, "predictions": [str(scored(r)) for r in P3]}),
        classes=ANIMALS,
    ),
    "a list in a cell of Parquet": Natural("a.parquet", parquet(label=Y3, probs=P3.tolist())),
    "a list of labels and scores in Parquet": Natural(
        "a.parquet",
        parquet(text=FEATURES["text"], label=NAMES, outputs=[scored(r) for r in P3]),
        classes=ANIMALS,
    ),
    "a structure in Parquet": Natural(
        "a.parquet",
        parquet(label=NAMES, probs=[dict(zip(ANIMALS, r.tolist(), strict=True)) for r in P3]),
    ),
    "logits in JSON Lines": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"text": "x", "label": int(y), "logits": z.tolist()}
                for y, z in zip(Y3, LOGITS, strict=True)
            )
        ),
        (SOFT, Y3),
        atol=1e-12,
    ),
    "a list without names, labels with": Natural(
        "a.jsonl",
        jsonl(*({"label": n, "probs": r.tolist()} for n, r in zip(NAMES, P3, strict=True))),
        needs={"classes": "cat,dog,eel"},
    ),
}
