"""Answers of language models: OpenAI evals, HELM, simple-evals, promptfoo, and own scripts."""

import numpy as np
from tests.io.natural._data import ANIMALS, CONFIDENCE, HITS, P3, STATED, TOP, Y3, N, confident, p3
from tests.io.natural._kit import Natural, csv_of, jsonl

LETTERS = np.array(list("ABC"))
RIGHT = confident(HITS, CONFIDENCE)
FLOOR = np.maximum(P3, 1e-9)
FLOOR = FLOOR / FLOOR.sum(axis=1, keepdims=True)


def evals_like():
    """Write a log as OpenAI's evals do: a line about the run, then events."""
    lines = [{"spec": {"completion_fns": ["gpt"], "eval_name": "quiz"}}]
    lines += [
        {
            "run_id": "r",
            "event_id": i,
            "sample_id": f"quiz.{i}",
            "type": "match",
            "data": {
                "correct": bool(HITS[i]),
                "expected": LETTERS[Y3[i]],
                "picked": LETTERS[TOP[i]],
                "confidence": float(CONFIDENCE[i]),
            },
            "created_at": "2026-01-01",
        }
        for i in range(N)
    ]
    return jsonl(*lines)


FILES = {
    "OpenAI evals": Natural(
        "a.jsonl", evals_like(), RIGHT, needs={"drop_missing": True}, top_label_only=True
    ),
    "a language called id": Natural(
        "a.csv",
        csv_of({"label": np.array(["de", "en", "id"])[Y3]} | p3("{}", names=("de", "en", "id"))),
    ),
    "p_true": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"question": "x", "correct": bool(h), "p_true": float(c)}
                for h, c in zip(HITS, CONFIDENCE, strict=True)
            )
        ),
        RIGHT,
    ),
    "model_confidence in percent": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"is_correct": bool(h), "model_confidence": int(c)}
                for h, c in zip(HITS, STATED, strict=True)
            )
        ),
        confident(HITS, STATED / 100),
        needs={"percent": True},
    ),
    "answer, expected and confidence": Natural(
        "a.csv",
        csv_of({"expected": LETTERS[Y3], "model_answer": LETTERS[TOP], "confidence": CONFIDENCE}),
        RIGHT,
        top_label_only=True,
    ),
    "gold, picked, probability of choices": Natural(
        "a.jsonl",
        jsonl(
            *(
                {
                    "id": i,
                    "gold": LETTERS[y],
                    "choice_probs": dict(zip("ABC", r.tolist(), strict=True)),
                }
                for i, (y, r) in enumerate(zip(Y3, P3, strict=True))
            )
        ),
    ),
    "log-probabilities of letters": Natural(
        "a.jsonl",
        jsonl(
            *(
                {
                    "answer": LETTERS[y],
                    "logprobs": dict(zip("ABC", np.log(r).tolist(), strict=True)),
                }
                for y, r in zip(Y3, FLOOR, strict=True)
            )
        ),
        (FLOOR, Y3),
        atol=1e-12,
    ),
    "score 1 or 0 and confidence": Natural(
        "a.csv",
        csv_of({"sample_id": range(N), "score": HITS.astype(int), "confidence": CONFIDENCE}),
        RIGHT,
    ),
    "CORRECT and INCORRECT": Natural(
        "a.csv",
        csv_of(
            {
                "grade": np.array(["INCORRECT", "CORRECT"])[HITS.astype(int)],
                "confidence": STATED / 100,
            }
        ),
        confident(HITS, STATED / 100),
        ("INCORRECT", "CORRECT"),
        needs={"pos_label": "CORRECT"},
    ),
    "promptfoo, pass": Natural("a.csv", csv_of({"pass": HITS, "confidence": CONFIDENCE}), RIGHT),
    "stated in whole percent with signs": Natural(
        "a.tsv",
        csv_of(
            {
                "question_id": range(N),
                "response": LETTERS[TOP],
                "gold_answer": LETTERS[Y3],
                "confidence (%)": STATED.astype(int),
            },
            sep="\t",
        ),
        confident(HITS, STATED / 100),
        needs={"percent": True},
        top_label_only=True,
    ),
    "zero-shot labels by text": Natural(
        "a.jsonl",
        jsonl(
            *(
                {
                    "target": ANIMALS[y],
                    "scores": {a: float(p) for a, p in zip(ANIMALS, r, strict=True)},
                    "labels": list(ANIMALS),
                }
                for y, r in zip(Y3, P3, strict=True)
            )
        ),
    ),
}
