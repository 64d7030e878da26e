"""Samples of lm-evaluation-harness: the log-likelihood of every choice, and the right choice.

The choices of a question are its classes. If questions have different numbers of choices, the only
question left is whether the likeliest choice is right as often as its probability says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from calibrant.errors import InputError, Problem
from calibrant.io._json._records import Record

_KEYS = {"doc_id", "target", "filtered_resps"}


def fits(records: Sequence[Record]) -> bool:
    """Return whether records are samples of the harness, without a stated confidence."""
    return all(record.keys() >= _KEYS and "confidence" not in record for record in records)


def rows(records: Sequence[Record], file: str) -> list[Record]:
    """Return rows of labels and log-likelihoods, or of correctness and confidence."""
    likelihoods = [_likelihoods(record) for record in records]
    if not all(likelihoods):
        raise InputError(
            Problem.COLUMNS,
            "these samples of lm-evaluation-harness are written answers, without the "
            "log-likelihoods of choices",
            source=file,
            remedy="evaluate a multiple-choice task, or add `confidence` and `correct` to each "
            "sample",
        )
    gold = _gold(records, likelihoods, file)
    if len({len(one) for one in likelihoods}) == 1:
        return [
            {"doc_id": record["doc_id"], "target": right, "loglikelihoods": values}
            for record, right, values in zip(records, gold, likelihoods, strict=True)
        ]
    return [
        {
            "doc_id": record["doc_id"],
            "correct": _top(values) == right,
            "confidence": 1.0 / sum(math.exp(value - max(values)) for value in values),
        }
        for record, right, values in zip(records, gold, likelihoods, strict=True)
    ]


def _likelihoods(record: Record) -> list[float]:
    """Return the log-likelihoods of the choices; some versions write numbers as texts."""
    found = record["filtered_resps"]
    if not isinstance(found, list) or len(found) < 2:
        return []
    try:
        return [float(pair[0]) for pair in found if len(pair) == 2 and _is_flag(pair[1])]
    except (TypeError, ValueError, IndexError):
        return []


def _is_flag(value: Any) -> bool:
    return str(value).lower() in ("true", "false", "0", "1")


def _gold(
    records: Sequence[Record], likelihoods: Sequence[Sequence[float]], file: str
) -> list[int]:
    """Return the right choice of every question, by position or text as `acc` decides."""
    readings = []
    for reading in (_by_place, _by_text):
        found = [reading(record, len(v)) for record, v in zip(records, likelihoods, strict=True)]
        gold = [place for place in found if place is not None]
        if len(gold) == len(records) and _agrees(records, likelihoods, gold):
            readings.append(gold)
    if not readings or readings[0] != readings[-1]:
        raise InputError(
            Problem.UNCERTAIN_LABELS,
            "must say which choice is right, by its place or its text, as `acc` does",
            source=file,
            column="target",
            value=records[0]["target"],
            remedy="write a file with a label and one probability per choice",
        )
    return readings[0]


def _by_place(record: Record, n_choices: int) -> int | None:
    try:
        place = int(str(record["target"]).strip())
    except ValueError:
        return None
    return place if 0 <= place < n_choices else None


def _by_text(record: Record, n_choices: int) -> int | None:
    texts = [text.strip() for text in _choices(record.get("arguments"))]
    target = str(record["target"]).strip()
    return texts.index(target) if len(texts) == n_choices and texts.count(target) == 1 else None


def _choices(arguments: Any) -> list[str]:
    """Return the continuations: [[context, text], …], or {"gen_args_0": {"arg_1": text}, …}."""
    pairs = arguments.values() if isinstance(arguments, Mapping) else arguments or ()
    texts = [pair.get("arg_1") if isinstance(pair, Mapping) else pair[-1] for pair in pairs]
    return [text for text in texts if isinstance(text, str)]


def _agrees(
    records: Sequence[Record], likelihoods: Sequence[Sequence[float]], gold: Sequence[int]
) -> bool:
    """Return whether the likeliest choice is right exactly if the log says so, ignoring ties."""
    for record, values, right in zip(records, likelihoods, gold, strict=True):
        tied = sorted(values)[-1] == sorted(values)[-2]
        if "acc" in record and not tied and (_top(values) == right) != bool(float(record["acc"])):
            return False
    return True


def _top(values: Sequence[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)
