"""Files written by torch, timm, Keras, Hugging Face, spaCy and fastText."""

import io
import json

import numpy as np
from tests.io.natural._data import (
    ANIMALS,
    ANSWER2,
    CONFIDENCE,
    HITS,
    LOGITS,
    MARGIN,
    NAMES,
    P2,
    P3,
    P_MARGIN,
    SOFT,
    TOP,
    Y2,
    Y3,
    N,
    confident,
    p3,
    scored,
)
from tests.io.natural._kit import Natural, csv_of, jsonl, parquet

TOP_NAMES = np.array(ANIMALS)[TOP]
ONE_HOT = np.eye(3)[Y3]


def npz(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


FILES = {
    "npz, logits and targets": Natural(
        "a.npz", npz(logits=LOGITS, targets=Y3), (SOFT, Y3), atol=1e-12
    ),
    "npz, probs, preds and labels": Natural("a.npz", npz(probs=P3, preds=TOP, labels=Y3)),
    "npz, softmax in single precision": Natural(
        "a.npz", npz(softmax=SOFT.astype(np.float32), gt=Y3), (SOFT, Y3), atol=1e-6
    ),
    "npz, y_pred is the matrix": Natural("a.npz", npz(y_true=Y3, y_pred=P3)),
    "npz, one-hot labels": Natural("a.npz", npz(y_true=ONE_HOT, y_pred=P3)),
    "npz, names of classes": Natural("a.npz", npz(y=Y3, p=P3, target_names=np.array(ANIMALS))),
    "npz, features beside": Natural("a.npz", npz(features=LOGITS * 7, probs=P3, labels=Y3)),
    "npz, Hugging Face's predictions": Natural(
        "a.npz",
        npz(predictions=LOGITS, label_ids=Y3),
        (SOFT, Y3),
        atol=1e-12,
        needs={"logits": True},
    ),
    "npz, outputs that are logits": Natural(
        "a.npz", npz(outputs=LOGITS, targets=Y3), (SOFT, Y3), atol=1e-12, needs={"logits": True}
    ),
    "npz without names": Natural("a.npz", npz(arr_0=P3, arr_1=Y3), needs={"label": "arr_1"}),
    "npz, one logit": Natural(
        "a.npz",
        npz(logit=MARGIN, y=Y2),
        (np.column_stack([1 - P_MARGIN, P_MARGIN]), Y2),
        atol=1e-12,
    ),
    "timm, top class and its probability": Natural(
        "results.csv",
        csv_of(
            {"filename": [f"{i}.jpg" for i in range(N)], "label": TOP, "prob": CONFIDENCE}
            | {"target": Y3}
        ),
        confident(HITS, CONFIDENCE),
        needs={"label": "target"},
        top_label_only=True,
    ),
    "Keras, sigmoid in a list": Natural(
        "a.jsonl",
        jsonl(
            *({"y_true": int(y), "y_pred": [float(p)]} for y, p in zip(Y2, P2[:, 1], strict=True))
        ),
        ANSWER2,
    ),
    "Hugging Face, a list in a list": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"text": "x", "label": n, "predictions": [scored(r)]}
                for n, r in zip(NAMES, P3, strict=True)
            )
        ),
        classes=ANIMALS,
    ),
    "Hugging Face, label names and ids": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"text": "x", "label": int(y), "label_text": ANIMALS[y], "probs": r.tolist()}
                for y, r in zip(Y3, P3, strict=True)
            )
        ),
    ),
    "Hugging Face, a pipeline's answer in columns": Natural(
        "a.parquet",
        parquet(text=["x"] * N, gold_label=NAMES, pred_label=TOP_NAMES, pred_score=CONFIDENCE),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "spaCy, cats": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"text": "x", "gold": n, "cats": dict(zip(ANIMALS, r.tolist(), strict=True))}
                for n, r in zip(NAMES, P3, strict=True)
            )
        ),
    ),
    "fastText": Natural(
        "a.csv",
        csv_of(
            {
                "label": [f"__label__{n}" for n in NAMES],
                "prediction": [f"__label__{n}" for n in TOP_NAMES],
                "probability": CONFIDENCE,
            }
        ),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "a classification head's id2label": Natural(
        "a.json",
        json.dumps(
            {
                "model": "resnet50",
                "id2label": {"0": "cat", "1": "dog", "2": "eel"},
                "results": [
                    {"id": i, "label": int(y), "probs": r.tolist()}
                    for i, (y, r) in enumerate(zip(Y3, P3, strict=True))
                ],
            }
        ).encode(),
    ),
    "Lightning, predictions by class": Natural(
        "a.csv",
        csv_of(
            {"image": [f"{i}.png" for i in range(N)], "class_id": Y3}
            | p3("class_{}_prob", names="012")
        ),
        needs={"label": "class_id"},
    ),
}
