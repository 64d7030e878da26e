"""JSON and JSON Lines."""

import gzip
import json

from tests.io.natural._data import ANIMALS, NAMES, P3, Y3, scored
from tests.io.natural._kit import Natural, jsonl

FILES = {
    "JSON Lines": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"label": n, "p_cat": a, "p_dog": b, "p_eel": c}
                for n, (a, b, c) in zip(NAMES, P3.tolist(), strict=True)
            )
        ),
    ),
    "JSON Lines, a list": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"id": i, "label": int(y), "probs": r}
                for i, (y, r) in enumerate(zip(Y3, P3.tolist(), strict=True))
            )
        ),
    ),
    "JSON Lines, by class": Natural(
        "a.jsonl.gz",
        gzip.compress(
            jsonl(
                *(
                    {"answer": n, "probabilities": dict(zip(ANIMALS, r, strict=True))}
                    for n, r in zip(NAMES, P3.tolist(), strict=True)
                )
            )
        ),
    ),
    "JSON Lines, labels and scores": Natural(
        "a.ndjson",
        jsonl(
            *(
                {"text": "x", "label": n, "prediction": scored(r)}
                for n, r in zip(NAMES, P3, strict=True)
            )
        ),
        classes=ANIMALS,
    ),
    "JSON, columns": Natural(
        "a.json", json.dumps({"y_true": Y3.tolist(), "y_prob": P3.tolist()}).encode()
    ),
    "JSON, a list of objects": Natural(
        "a.json",
        json.dumps(
            [
                {"truth": n, "scores": dict(zip(ANIMALS, r, strict=True))}
                for n, r in zip(NAMES, P3.tolist(), strict=True)
            ],
            indent=2,
        ).encode(),
    ),
}
