"""Logs of language-model evaluations, and stated confidences."""

import json

import numpy as np
from tests.io.natural._data import CONFIDENCE, HITS, NAMES, P3, STATED, Y3, N, confident, p3
from tests.io.natural._kit import Natural, csv_of, jsonl


def lm_eval(texts=False, by_text=False, ragged=False):
    records = []
    for i, (y, row) in enumerate(zip(Y3, P3, strict=True)):
        values = [float(np.log(max(p, 1e-9))) for p in row]
        if ragged and i % 2:
            values.append(-30.0)
        pairs = [[str(v), "False"] if texts else [v, False] for v in values]
        choices = ["A", "B", "C", "D"][: len(values)]
        records.append({
            "doc_id": i,
            "doc": {"question": f"What is {i}?"},
            "target": choices[y] if by_text else (str(y) if texts else int(y)),
            "arguments": [["What?", f" {c}"] for c in choices],
            "resps": [[pair] for pair in pairs],
            "filtered_resps": pairs,
            "acc": float(np.argmax(values) == y),
        })  # fmt: skip
    return jsonl(*records)


def inspect_log(kind):
    samples = []
    for i, (y, row) in enumerate(zip(Y3, P3, strict=True)):
        letters = "ABC"
        top = int(np.argmax(row))
        score = {"value": "C" if top == y else "I", "answer": letters[top], "metadata": None}
        sample = {
            "id": i // 2,
            "epoch": i % 2 + 1,
            "input": "What?",
            "choices": list("xyz"),
            "target": letters[y],
            "scores": {"choice": score},
            "output": {"choices": [{}]},
        }
        if kind == "stated":
            score["metadata"] = {"confidence": STATED[i] / 100}
        else:
            found = [
                {"token": c, "logprob": float(np.log(max(p, 1e-9)))}
                for c, p in zip(letters, row, strict=True)
            ]
            token = found[top] | {"top_logprobs": found if kind == "letters" else []}
            sample["output"] = {"choices": [{"logprobs": {"content": [token]}}]}
        samples.append(sample)
    log = {"version": 2, "status": "success", "eval": {"task": "quiz"}, "results": {},
           "samples": samples, "reductions": [{"scorer": "choice", "samples": []}]}  # fmt: skip
    return json.dumps(log, indent=1).encode()


floor = np.maximum(P3, 1e-9)
floor = floor / floor.sum(axis=1, keepdims=True)

FILES = {
    "lm-evaluation-harness": Natural("samples_quiz.jsonl", lm_eval(), (floor, Y3), atol=1e-8),
    "lm-evaluation-harness, numbers as texts": Natural(
        "samples.jsonl", lm_eval(texts=True), (floor, Y3), atol=1e-8
    ),
    "lm-evaluation-harness, target by its text": Natural(
        "samples.jsonl", lm_eval(by_text=True), (floor, Y3), atol=1e-8
    ),
    "lm-evaluation-harness, some more choices": Natural(
        "samples.jsonl", lm_eval(ragged=True), confident(HITS, CONFIDENCE), atol=1e-8
    ),
    "Inspect, letters": Natural("log.json", inspect_log("letters"), (floor, Y3), atol=1e-8),
    "Inspect, one token": Natural(
        "log.json", inspect_log("token"), confident(HITS, CONFIDENCE), atol=1e-8
    ),
    "Inspect, stated confidence": Natural(
        "log.json", inspect_log("stated"), confident(HITS, STATED / 100)
    ),
    "stated confidence": Natural(
        "answers.jsonl",
        jsonl(
            *(
                {
                    "question_id": i // 4,
                    "answer": "x",
                    "confidence": STATED[i] / 100,
                    "correct": bool(HITS[i]),
                }
                for i in range(N)
            )
        ),
        confident(HITS, STATED / 100),
    ),
    "stated confidence in percent": Natural(
        "answers.csv",
        csv_of(
            {
                "question_id": np.arange(N) // 4,
                "confidence": [f"{v:g}%" for v in STATED],
                "correct": HITS,
            }
        ),
        confident(HITS, STATED / 100),
    ),
    "stated confidence, 0 to 100": Natural(
        "answers.csv",
        csv_of(
            {"question_id": np.arange(N) // 4, "confidence": STATED, "is_correct": HITS.astype(int)}
        ),
        confident(HITS, STATED / 100),
        needs={"percent": True},
    ),
    "percentages": Natural(
        "a.csv",
        csv_of({"label": NAMES} | {k: 100 * v for k, v in p3("p_{}").items()}),
        atol=1e-15,
        needs={"percent": True},
    ),
}
