"""What other programs write: Spark, Azure, PyCaret, BigQuery, AutoGluon, SAS, LIBSVM, Keras."""

import numpy as np
from tests.io.natural._data import (
    ANIMALS,
    ANSWER2,
    CONFIDENCE,
    HITS,
    NAMES,
    P2,
    P3,
    STATED,
    TOP,
    TWO_TOP,
    Y2,
    Y3,
    N,
    confident,
    p2,
    p3,
    scored,
)
from tests.io.natural._kit import Natural, csv_of, jsonl

LOGS = np.log(np.maximum(P3, 1e-9))
FLOOR = np.exp(LOGS) / np.exp(LOGS).sum(axis=1, keepdims=True)

FILES = {
    "Spark, vectors as texts": Natural(
        "part-0.csv",
        csv_of(
            {
                "label": Y3.astype(float),
                "rawPrediction": [str((5 * r).tolist()) for r in P3],
                "probability": [str(r.tolist()) for r in P3],
                "prediction": TOP.astype(float),
            }
        ),
    ),
    "Spark, vectors as objects": Natural(
        "part-0.json",
        jsonl(
            *(
                {
                    "label": float(y),
                    "probability": {"type": 1, "values": r.tolist()},
                    "prediction": float(t),
                }
                for y, t, r in zip(Y3, TOP, P3, strict=True)
            )
        ),
    ),
    "Azure, one class": Natural(
        "a.csv",
        csv_of({"income": Y2, "Scored Labels": TWO_TOP, "Scored Probabilities": P2[:, 1]}),
        ANSWER2,
        needs={"label": "income"},
    ),
    "Azure, many classes": Natural(
        "a.csv",
        csv_of(
            {"label": NAMES}
            | p3('Scored Probabilities for Class "{}"')
            | {"Scored Labels": np.array(ANIMALS)[TOP]}
        ),
    ),
    "PyCaret": Natural(
        "a.csv",
        csv_of(
            {
                "target": NAMES,
                "prediction_label": np.array(ANIMALS)[TOP],
                "prediction_score": CONFIDENCE,
            }
        ),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "PyCaret, raw scores": Natural(
        "a.csv",
        csv_of(
            {"target": NAMES, "prediction_label": np.array(ANIMALS)[TOP]}
            | p3("prediction_score_{}")
        ),
    ),
    "BigQuery": Natural(
        "a.jsonl",
        jsonl(
            *(
                {
                    "predicted_label": ANIMALS[t],
                    "predicted_label_probs": scored(r, prob_key="prob"),
                    "label": n,
                }
                for n, t, r in zip(NAMES, TOP, P3, strict=True)
            )
        ),
        classes=ANIMALS,
    ),
    "AutoGluon": Natural("a.csv", csv_of(p3("{}") | {"class": NAMES}, index=True)),
    "SAS": Natural(
        "a.csv",
        csv_of({"BAD": Y2, "P_BAD1": P2[:, 1], "P_BAD0": P2[:, 0], "I_BAD": TWO_TOP}),
        ANSWER2,
        ("BAD0", "BAD1"),
        needs={"label": "BAD"},
    ),
    "Keras": Natural(
        "a.csv", csv_of({"y_true": Y3} | p3("pred_{}", names="012") | {"y_pred": TOP})
    ),
    "fastai": Natural("a.csv", csv_of({"targets": Y3} | p3("preds_{}", names="012"))),
    "an image classifier": Natural(
        "a.csv",
        csv_of(
            {
                "image_path": [f"img/{i}.png" for i in range(N)],
                "true_label": NAMES,
                "pred_label": np.array(ANIMALS)[TOP],
            }
            | p3("{}_score")
        ),
    ),
    "sentiment, one label and score": Natural(
        "a.jsonl",
        jsonl(
            *(
                {
                    "text": "x",
                    "label": ["NEGATIVE", "POSITIVE"][y],
                    "output": {"label": ["NEGATIVE", "POSITIVE"][t], "score": float(r.max())},
                }
                for y, t, r in zip(Y2, TWO_TOP, P2, strict=True)
            )
        ),
        confident(TWO_TOP == Y2, P2.max(axis=1)),
        top_label_only=True,
    ),
    "sentiment, both scores": Natural(
        "a.jsonl",
        jsonl(
            *(
                {
                    "label": ["NEGATIVE", "POSITIVE"][y],
                    "prediction": scored(r, ["NEGATIVE", "POSITIVE"]),
                }
                for y, r in zip(Y2, P2, strict=True)
            )
        ),
        ANSWER2,
        ("NEGATIVE", "POSITIVE"),
    ),
    "MLflow, CSV": Natural(
        "eval_table.csv",
        csv_of(
            {"feature_0": np.arange(N) / 7, "label": Y3, "prediction": TOP}
            | p3("score_{}", names="012")
        ),
    ),
    "lm-evaluation-harness, older": Natural(
        "quiz_write_out_info.json",
        jsonl(
            *(
                {"doc_id": i, "truth": int(y)} | {f"logit_{j}": float(v) for j, v in enumerate(row)}
                for i, (y, row) in enumerate(zip(Y3, LOGS, strict=True))
            )
        ),
        (FLOOR, Y3),
        atol=1e-8,
    ),
    "answers, confidence in words of percent": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"question_id": f"q{i // 2}", "confidence": f"{c:.0f}%", "is_correct": bool(h)}
                for i, (c, h) in enumerate(zip(STATED, HITS, strict=True))
            )
        ),
        confident(HITS, STATED / 100),
    ),
    "answers, whole percent in JSON": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"id": i, "stated_confidence": int(c), "correct": int(h)}
                for i, (c, h) in enumerate(zip(STATED, HITS, strict=True))
            )
        ),
        confident(HITS, STATED / 100),
        needs={"percent": True},
    ),
    "answers, correctness": Natural(
        "a.csv",
        csv_of(
            {
                "question": [f"q{i}" for i in range(N)],
                "confidence": STATED / 100,
                "correctness": HITS.astype(int),
            }
        ),
        confident(HITS, STATED / 100),
    ),
    "two columns named by yes and no": Natural(
        "a.csv",
        csv_of({"outcome": np.array(["no", "yes"])[Y2]} | p2("{}", (1, 0))),
        ANSWER2,
        ("no", "yes"),
    ),
}
