"""Files as people have them, each with its right answer; most must be read without a word.

`python -m tests.io.natural FOLDER` writes them all.
"""

import csv
import gzip
import io
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

N = 60
ANIMALS = ("cat", "dog", "eel")
_rng = np.random.default_rng(5)


def _rows(n_classes):
    """Return labels and probabilities of two decimals that sum to exactly 1."""
    hundreds = np.array([_rng.multinomial(100, p) for p in _rng.dirichlet(np.ones(n_classes), N)])
    return _rng.integers(n_classes, size=N), hundreds / 100


Y3, P3 = _rows(3)
Y3[:3] = [0, 1, 2]
Y2, P2 = _rows(2)
Y2[:2], P2[:2] = [0, 1], [[0.7, 0.3], [0.4, 0.6]]
NAMES = np.array(ANIMALS)[Y3]
YES = np.array(["no", "yes"])[Y2]
TOP = P3.argmax(axis=1)
ANSWER3 = (P3, Y3)
ANSWER2 = (P2, Y2)


@dataclass(frozen=True)
class Natural:
    """A file, what it says, and the one option that it needs, if any."""

    name: str
    data: bytes
    #: probabilities (rows, classes) and the class of every row
    answer: tuple
    #: the names of the classes, where the order of the answer is not that of the file
    classes: tuple | None = None
    #: the option that the message must name, as an argument of Python
    needs: dict = field(default_factory=dict)
    #: files beside it
    others: dict = field(default_factory=dict)
    #: what is said from the start, since it is the name of a second file
    given: dict = field(default_factory=dict)
    atol: float = 0.0
    top_label_only: bool = False

    def write(self, folder):
        for name, data in {self.name: self.data, **self.others}.items():
            (folder / name).write_bytes(data)
        return str(folder / self.name)


def csv_of(columns, sep=",", index=False, **options):
    frame = pd.DataFrame(columns)
    return frame.to_csv(sep=sep, index=index, lineterminator="\n", **options).encode()


def r_table(columns, sep=" ", quote=True, dec="."):
    """Write as R's write.table does: the header lacks the column of row names."""

    def text(value):
        if isinstance(value, str):
            return f'"{value}"' if quote else value
        return repr(float(value)).replace(".", dec) if isinstance(value, float) else str(value)

    lines = [sep.join(text(name) for name in columns)]
    cells = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
    lines += [sep.join([text(str(i)), *map(text, row)]) for i, row in enumerate(cells, 1)]
    return "\n".join([*lines, ""]).encode()


def r_csv(columns, sep=",", dec="."):
    """Write as write.csv does (write.csv2 with other marks): the row names have an empty name."""
    data = r_table(columns, sep, dec=dec).decode().split("\n", 1)
    return f'""{sep}{data[0]}\n{data[1]}'.encode()


def jsonl(*records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def parquet(**columns):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def p3(pattern, order=(0, 1, 2), names=ANIMALS):
    return {pattern.format(names[j]): P3[:, j] for j in order}


def p2(pattern, order=(0, 1), names=("no", "yes")):
    return {pattern.format(names[j]): P2[:, j] for j in order}


def scored(row, names=ANIMALS, class_key="label", prob_key="score"):
    """Return what a pipeline of Hugging Face returns: the likeliest class first."""
    order = np.argsort(-row)
    return [{class_key: names[j], prob_key: float(row[j])} for j in order]


def confident(hits, confidence):
    confidence = np.asarray(confidence, dtype=float)
    return np.column_stack([1 - confidence, confidence]), np.asarray(hits).astype(int)


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


STATED = np.array([0, 50, 90, 100])[_rng.integers(4, size=N)].astype(float)
HITS = TOP == Y3
CONFIDENCE = P3.max(axis=1)
LOGITS = np.log(np.maximum(P3, 1e-4)) + 2.0
SOFT = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
FEATURES = {"sepal_length": _rng.normal(5, 1, N), "is_new": Y2 % 2, "text": ["Good, or bad?"] * N}
TWO_TOP = P2.argmax(axis=1)
MARGIN = np.log(np.maximum(P2[:, 1], 1e-4) / np.maximum(P2[:, 0], 1e-4))
P_MARGIN = 1 / (1 + np.exp(-MARGIN))
PERCENT3 = {f"p_{name}": [f"{round(100 * v)}%" for v in P3[:, j]] for j, name in enumerate(ANIMALS)}


def natural_files():
    """Return all files by a short title."""
    files = {}

    def add(title, name, data, answer=ANSWER3, classes=None, **more):
        files[title] = Natural(name, data, answer, classes, **more)

    # pandas
    add("pandas, with its index", "a.csv", csv_of({"label": NAMES} | p3("p_{}"), index=True))
    add(
        "pandas, y_pred and pred_0",
        "a.csv",
        csv_of({"y_true": Y2, "y_pred": TWO_TOP, "pred_0": P2[:, 0], "pred_1": P2[:, 1]}),
        ANSWER2,
    )
    add(
        "pandas, target and y_pred_proba",
        "a.csv",
        csv_of({"target": Y2, "y_pred_proba": P2[:, 1]}),
        ANSWER2,
    )
    add(
        "outcome yes/no with prob",
        "a.csv",
        csv_of({"outcome": YES, "prob": P2[:, 1]}),
        ANSWER2,
        ("no", "yes"),
        needs={"pos_label": "yes"},
    )
    add(
        "outcome True/False with risk",
        "a.csv",
        csv_of({"patient": range(N), "outcome": Y2 == 1, "risk": P2[:, 1]}),
        ANSWER2,
    )
    add(
        "actual and predicted_probability",
        "a.csv",
        csv_of({"actual": Y2, "predicted": TWO_TOP, "predicted_probability": P2[:, 1]}),
        ANSWER2,
    )
    add(
        "y_test and a matrix of numbers",
        "a.csv",
        csv_of({"y_test": Y3} | {str(j): P3[:, j] for j in range(3)}, index=True),
    )
    add("pandas to_json", "a.json", pd.DataFrame({"label": NAMES} | p3("p_{}")).to_json().encode())
    add(
        "pandas to_json, split",
        "a.json",
        pd.DataFrame({"label": NAMES} | p3("{}")).to_json(orient="split").encode(),
    )
    # R
    add(
        "tidymodels",
        "a.csv",
        csv_of(
            p3(".pred_{}")
            | {
                ".row": range(1, N + 1),
                ".pred_class": np.array(ANIMALS)[TOP],
                "truth": NAMES,
                ".config": ["Preprocessor1_Model1"] * N,
            }
        ),
    )
    add(
        "tidymodels, yes first",
        "a.csv",
        csv_of(
            {"truth": YES}
            | p2(".pred_{}", (1, 0))
            | {".pred_class": np.array(["no", "yes"])[TWO_TOP]}
        ),
        ANSWER2,
        ("no", "yes"),
    )
    add(
        "yardstick, columns named by the classes",
        "a.csv",
        csv_of(
            {
                "truth": np.array(["Class1", "Class2"])[Y2],
                "Class1": P2[:, 0],
                "Class2": P2[:, 1],
                "predicted": np.array(["Class1", "Class2"])[TWO_TOP],
            }
        ),
        ANSWER2,
    )
    add(
        "caret",
        "a.csv",
        csv_of(
            {"pred": np.array(ANIMALS)[TOP], "obs": NAMES}
            | p3("{}")
            | {"rowIndex": range(1, N + 1), "mtry": [2] * N, "Resample": ["Fold1"] * N}
        ),
    )
    add("R write.csv", "a.csv", r_csv({"truth": NAMES} | p3("{}", (2, 0, 1))), classes=ANIMALS)
    add("R write.csv2", "a.csv", r_csv({"truth": NAMES} | p3("p.{}"), ";", ","))
    add("R write.table", "a.txt", r_table({"observed": NAMES} | p3("p.{}")))
    add(
        "R write.table, tabs, no quotes",
        "a.tsv",
        r_table({"obs": NAMES} | p3("prob.{}"), "\t", quote=False),
    )
    add("R write.table, commas", "a.csv", r_table({"truth": Y2, "prob": P2[:, 1]}, ","), ANSWER2)
    # Kaggle
    otto = np.array([f"Class_{j + 1}" for j in range(3)])
    add(
        "Kaggle, Class_1",
        "a.csv",
        csv_of({"id": range(1, N + 1), "target": otto[Y3]} | p3("{}", (1, 2, 0), otto)),
        classes=tuple(otto),
    )
    add(
        "Kaggle, Class_1 with labels from 1",
        "a.csv",
        csv_of({"id": range(1, N + 1)} | p3("{}", (0, 1, 2), otto) | {"target": Y3 + 1}),
    )
    add(
        "Kaggle, prediction",
        "a.csv",
        csv_of({"id": range(N), "target": Y2, "prediction": P2[:, 1]}),
        ANSWER2,
    )
    # MLflow
    add(
        "MLflow evaluation table",
        "eval_results_table.json",
        pd.DataFrame(
            FEATURES | {"target": Y3, "prediction": TOP} | p3("probability_{}", names="012")
        )
        .to_json(orient="split")
        .encode(),
    )
    add(
        "MLflow evaluation table, lists",
        "eval_results_table.json",
        pd.DataFrame(
            FEATURES | {"target": Y3, "outputs": TOP, "predicted_probabilities": P3.tolist()}
        )
        .to_json(orient="split")
        .encode(),
    )
    # Hugging Face
    add(
        "Hugging Face, LABEL_0",
        "a.csv",
        csv_of(
            {"text": FEATURES["text"]}
            | p3("{}", (0, 1, 2), ["LABEL_0", "LABEL_1", "LABEL_2"])
            | {"label": Y3}
        ),
    )
    add(
        "Hugging Face, LABEL_0 as labels too",
        "a.csv",
        csv_of(
            {"label": [f"LABEL_{j}" for j in Y3]}
            | p3("{}", (2, 1, 0), ["LABEL_0", "LABEL_1", "LABEL_2"])
        ),
        classes=("LABEL_0", "LABEL_1", "LABEL_2"),
    )
    add(
        "a list in a cell of CSV",
        "a.csv",
        csv_of({"text": FEATURES["text"], "label": Y3, "probs": [str(r.tolist()) for r in P3]}),
    )
    add(
        "a list as NumPy prints it",
        "a.csv",
        csv_of({"label": Y3, "probabilities": [str(r) for r in P3]}),
    )
    add(
        "label and score in a cell of CSV",
        "a.csv",
        csv_of({"label": NAMES, "predictions": [str(scored(r)) for r in P3]}),
        classes=ANIMALS,
    )
    add("a list in a cell of Parquet", "a.parquet", parquet(label=Y3, probs=P3.tolist()))
    add(
        "a list of labels and scores in Parquet",
        "a.parquet",
        parquet(text=FEATURES["text"], label=NAMES, outputs=[scored(r) for r in P3]),
        classes=ANIMALS,
    )
    add(
        "a structure in Parquet",
        "a.parquet",
        parquet(label=NAMES, probs=[dict(zip(ANIMALS, r.tolist(), strict=True)) for r in P3]),
    )
    add(
        "logits in JSON Lines",
        "a.jsonl",
        jsonl(
            *(
                {"text": "x", "label": int(y), "logits": z.tolist()}
                for y, z in zip(Y3, LOGITS, strict=True)
            )
        ),
        (SOFT, Y3),
        atol=1e-12,
    )
    add(
        "a list without names, labels with",
        "a.jsonl",
        jsonl(*({"label": n, "probs": r.tolist()} for n, r in zip(NAMES, P3, strict=True))),
        needs={"classes": "cat,dog,eel"},
    )
    # headers
    add("P(class)", "a.csv", csv_of({"truth": NAMES} | p3("P({})")))
    add(
        "P(y = class)",
        "a.csv",
        csv_of({"ground_truth": NAMES} | p3("P(y = {})", (1, 0, 2))),
        classes=ANIMALS,
    )
    add(
        "KNIME",
        "a.csv",
        csv_of(
            {"class": NAMES} | p3("P (class={})") | {"Prediction (class)": np.array(ANIMALS)[TOP]}
        ),
    )
    add(
        "RapidMiner",
        "a.csv",
        csv_of(
            {"label": NAMES, "prediction(label)": np.array(ANIMALS)[TOP]} | p3("confidence({})")
        ),
    )
    add(
        "H2O",
        "a.csv",
        csv_of({"predict": TWO_TOP, "p0": P2[:, 0], "p1": P2[:, 1], "gt": Y2}),
        ANSWER2,
    )
    add("class_prob", "a.csv", csv_of({"gt": NAMES} | p3("{}_prob", (2, 1, 0))), classes=ANIMALS)
    # gradient boosting
    tsv = "\n".join("\t".join(map(repr, row)) for row in P3.tolist()).encode() + b"\n"
    labels = "\n".join(map(str, Y3)).encode() + b"\n"
    add(
        "LightGBM, a matrix without names",
        "LightGBM_predict_result.txt",
        tsv,
        others={"labels.txt": labels},
        given={"labels": "labels.txt"},
    )
    add(
        "XGBoost, one column without a name",
        "pred.txt",
        "\n".join(map(repr, P2[:, 1].tolist())).encode() + b"\n",
        ANSWER2,
        others={"labels.txt": "\n".join(map(str, Y2)).encode()},
        given={"labels": "labels.txt"},
    )
    with_labels = "\n".join(
        f"{y}," + ",".join(map(repr, r)) for y, r in zip(Y3, P3.tolist(), strict=True)
    ).encode()
    add("a matrix with labels, without names", "dump.csv", with_labels, needs={"label": "0"})
    # JSON Lines
    add(
        "JSON Lines",
        "a.jsonl",
        jsonl(
            *(
                {"label": n, "p_cat": a, "p_dog": b, "p_eel": c}
                for n, (a, b, c) in zip(NAMES, P3.tolist(), strict=True)
            )
        ),
    )
    add(
        "JSON Lines, a list",
        "a.jsonl",
        jsonl(
            *(
                {"id": i, "label": int(y), "probs": r}
                for i, (y, r) in enumerate(zip(Y3, P3.tolist(), strict=True))
            )
        ),
    )
    add(
        "JSON Lines, by class",
        "a.jsonl.gz",
        gzip.compress(
            jsonl(
                *(
                    {"answer": n, "probabilities": dict(zip(ANIMALS, r, strict=True))}
                    for n, r in zip(NAMES, P3.tolist(), strict=True)
                )
            )
        ),
    )
    add(
        "JSON Lines, labels and scores",
        "a.ndjson",
        jsonl(
            *(
                {"text": "x", "label": n, "prediction": scored(r)}
                for n, r in zip(NAMES, P3, strict=True)
            )
        ),
        classes=ANIMALS,
    )
    add(
        "JSON, columns",
        "a.json",
        json.dumps({"y_true": Y3.tolist(), "y_prob": P3.tolist()}).encode(),
    )
    add(
        "JSON, a list of objects",
        "a.json",
        json.dumps(
            [
                {"truth": n, "scores": dict(zip(ANIMALS, r, strict=True))}
                for n, r in zip(NAMES, P3.tolist(), strict=True)
            ],
            indent=2,
        ).encode(),
    )
    # separators and signs
    add("semicolons", "a.csv", csv_of({"truth": NAMES} | p3("p_{}"), sep=";"))
    add(
        "semicolons and decimal commas",
        "a.csv",
        csv_of({"truth": NAMES} | p3("p_{}"), sep=";", decimal=","),
    )
    add(
        "tabs and decimal commas",
        "a.txt",
        csv_of({"outcome": Y2, "risk": P2[:, 1]}, sep="\t", decimal=","),
        ANSWER2,
    )
    add("bars", "a.psv", csv_of({"label": NAMES} | p3("prob_{}"), sep="|"))
    add("percent signs", "a.csv", csv_of({"label": NAMES} | PERCENT3))
    add(
        "percent signs and decimal commas",
        "a.csv",
        csv_of(
            {"label": NAMES}
            | {k: [v.replace("%", ",0 %") for v in c] for k, c in PERCENT3.items()},
            sep=";",
        ),
    )
    for decimals in (2, 3, 4, 6):
        exact = np.random.default_rng(decimals).dirichlet(np.ones(3), N)
        rounded = exact.round(decimals)
        columns = {f"p_{name}": rounded[:, j] for j, name in enumerate(ANIMALS)}
        divided = rounded / rounded.sum(axis=1, keepdims=True)
        add(
            f"rounded to {decimals} decimals",
            "a.csv",
            csv_of({"label": NAMES} | columns),
            (divided, Y3),
            atol=2e-6,
        )
    add(
        "scores by name, labels by number",
        "a.jsonl",
        jsonl(*({"label": int(y), "outputs": scored(r)} for y, r in zip(Y3, P3, strict=True))),
        classes=ANIMALS,
        needs={"classes": "cat,dog,eel"},
    )
    add(
        "LABEL_0 and scores by name, labels by number",
        "a.jsonl",
        jsonl(
            *(
                {"label": int(y), "outputs": scored(r, ["LABEL_0", "LABEL_1", "LABEL_2"])}
                for y, r in zip(Y3, P3, strict=True)
            )
        ),
        classes=("LABEL_0", "LABEL_1", "LABEL_2"),
    )
    # other spellings
    add(
        "zero-shot classification",
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
    )
    add(
        "names with blanks",
        "a.csv",
        csv_of({"True Label": NAMES} | p3("Probability of {}", (1, 2, 0))),
        classes=ANIMALS,
    )
    add(
        "names in camel case",
        "a.csv",
        csv_of({"trueLabel": Y2, "predictedLabel": TWO_TOP, "predictedProbability": P2[:, 1]}),
        ANSWER2,
    )
    add(
        "Weka",
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
    )
    add(
        "a pipeline's label and score beside the true label",
        "a.csv",
        csv_of({"label": np.array(ANIMALS)[TOP], "score": CONFIDENCE, "true_label": NAMES}),
        confident(HITS, CONFIDENCE),
        needs={"label": "true_label"},
        top_label_only=True,
    )
    # the top label only
    add(
        "label, prediction, confidence",
        "a.csv",
        csv_of({"label": NAMES, "prediction": np.array(ANIMALS)[TOP], "confidence": CONFIDENCE}),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    )
    add(
        "label, pred, score",
        "a.csv",
        csv_of({"id": range(N), "pred": TOP, "score": CONFIDENCE, "actual": Y3}),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    )
    add(
        "two labels, prediction, confidence",
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
    )
    add(
        "prediction, confidence and correctness",
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
    )
    add(
        "the right answer, the prediction, the confidence",
        "a.csv",
        csv_of({"correct": NAMES, "prediction": np.array(ANIMALS)[TOP], "confidence": CONFIDENCE}),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    )
    add(
        "two labels and a confidence below 1/2",
        "a.csv",
        csv_of({"label": Y2, "prediction": TWO_TOP, "confidence": P2[:, 1]}),
        ANSWER2,
        needs={"prob": "confidence"},
    )
    # logits
    add(
        "logits",
        "a.csv",
        csv_of({"label": NAMES} | {f"logit_{c}": LOGITS[:, j] for j, c in enumerate(ANIMALS)}),
        (SOFT, Y3),
        atol=1e-12,
    )
    add(
        "one logit",
        "a.csv",
        csv_of({"label": Y2, "logit": MARGIN}),
        (np.column_stack([1 - P_MARGIN, P_MARGIN]), Y2),
        atol=1e-12,
    )
    add(
        "log-probabilities",
        "a.csv",
        csv_of(
            {"target": Y3}
            | {f"logprob_{j}": np.log(np.maximum(SOFT[:, j], 1e-12)) for j in range(3)}
        ),
        (SOFT, Y3),
        atol=1e-9,
    )
    add(
        "logits that do not say so",
        "a.csv",
        csv_of({"label": Y3} | {f"p_{j}": LOGITS[:, j] for j in range(3)}),
        (SOFT, Y3),
        atol=1e-12,
        needs={"logits": True},
    )
    # language models
    floor = np.maximum(P3, 1e-9)
    floor = floor / floor.sum(axis=1, keepdims=True)
    add("lm-evaluation-harness", "samples_quiz.jsonl", lm_eval(), (floor, Y3), atol=1e-8)
    add(
        "lm-evaluation-harness, numbers as texts",
        "samples.jsonl",
        lm_eval(texts=True),
        (floor, Y3),
        atol=1e-8,
    )
    add(
        "lm-evaluation-harness, target by its text",
        "samples.jsonl",
        lm_eval(by_text=True),
        (floor, Y3),
        atol=1e-8,
    )
    add(
        "lm-evaluation-harness, some more choices",
        "samples.jsonl",
        lm_eval(ragged=True),
        confident(HITS, CONFIDENCE),
        atol=1e-8,
    )
    add("Inspect, letters", "log.json", inspect_log("letters"), (floor, Y3), atol=1e-8)
    add(
        "Inspect, one token",
        "log.json",
        inspect_log("token"),
        confident(HITS, CONFIDENCE),
        atol=1e-8,
    )
    add(
        "Inspect, stated confidence",
        "log.json",
        inspect_log("stated"),
        confident(HITS, STATED / 100),
    )
    add(
        "stated confidence",
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
    )
    add(
        "stated confidence in percent",
        "answers.csv",
        csv_of(
            {
                "question_id": np.arange(N) // 4,
                "confidence": [f"{v:g}%" for v in STATED],
                "correct": HITS,
            }
        ),
        confident(HITS, STATED / 100),
    )
    add(
        "stated confidence, 0 to 100",
        "answers.csv",
        csv_of(
            {"question_id": np.arange(N) // 4, "confidence": STATED, "is_correct": HITS.astype(int)}
        ),
        confident(HITS, STATED / 100),
        needs={"percent": True},
    )
    add(
        "percentages",
        "a.csv",
        csv_of({"label": NAMES} | {k: 100 * v for k, v in p3("p_{}").items()}),
        atol=1e-15,
        needs={"percent": True},
    )
    return files


NATURAL = natural_files()


def main(folder):
    """Write every file into a folder of its own title."""
    for title, file in NATURAL.items():
        path = Path(folder) / title.replace("/", "-").replace(" ", "_")
        path.mkdir(parents=True, exist_ok=True)
        file.write(path)
    with (Path(folder) / "index.csv").open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["title", "file", "needs"])
        rows.writerows(
            [title, file.name, json.dumps(file.needs)] for title, file in NATURAL.items()
        )


if __name__ == "__main__":
    main(sys.argv[1])
