"""Samples of an Inspect log: what was right, and the stated or measured confidence in it.

Where the log holds the log-probability of every letter of a multiple-choice question, the letters
are the classes. Otherwise the question is whether answers are right as often as their confidence
says: that which the scorer kept as `confidence`, or the probability of the answer's token.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from calibrant.errors import InputError, Problem
from calibrant.io._json._records import Record

#: values of a score; P is partly right, which is neither
_VALUES = {"C": True, "I": False, "N": False, "1": True, "0": False, "1.0": True, "0.0": False,
           "TRUE": True, "FALSE": False}  # fmt: skip
_KEYS = {"id", "epoch", "target", "scores"}


def fits(records: Sequence[Record]) -> bool:
    """Tell these samples from other records."""
    return all(
        record.keys() >= _KEYS and isinstance(record["scores"], Mapping) for record in records
    )


def rows(records: Sequence[Record], file: str) -> list[Record]:
    """Return one row per sample and epoch."""
    letters = [_letters(record) for record in records]
    if all(letters) and len({tuple(one) for one in letters}) == 1:
        return [
            {"id": record["id"], "epoch": record["epoch"], "target": record["target"],
             "logprobs": one}
            for record, one in zip(records, letters, strict=True)
        ]  # fmt: skip
    found: list[Record] = [_judged(record) for record in records]
    if not any("confidence" in row for row in found):
        raise InputError(
            Problem.COLUMNS,
            "no sample has a confidence: neither log-probabilities of the answer nor a score with "
            "`confidence` in its metadata",
            source=file,
            remedy="evaluate with `logprobs=True`, or let the scorer keep a stated confidence",
        )
    return found


def _judged(record: Record) -> dict[str, Any]:
    row = {"id": record["id"], "epoch": record["epoch"]}
    scores = record["scores"]
    for name, score in scores.items():
        key = "correct" if len(scores) == 1 else f"correct.{name}"
        row[key] = _VALUES.get(str(score.get("value")).upper())
        metadata = score.get("metadata") or {}
        stated = metadata.get("confidence")
        answer = str(score.get("answer") or "").strip()
        confidence = stated if stated is not None else _of_token(record, answer)
        if confidence is not None:
            row["confidence"] = _number(confidence)
    return row


def _number(value: Any) -> Any:
    """Return a stated confidence as a number; 90 % is 0.9."""
    if isinstance(value, str) and value.strip().endswith("%"):
        return float(value.strip().removesuffix("%")) / 100.0
    return value


def _letters(record: Record) -> dict[str, float]:
    """Return the log-probability of every letter, where the log has all of them."""
    choices = record.get("choices") or ()
    wanted = [chr(ord("A") + i) for i in range(len(choices))]
    if len(wanted) < 2 or record["target"] not in wanted:
        return {}
    for token in _tokens(record):
        top = token.get("top_logprobs") or ()
        found = {str(one.get("token")).strip(): one.get("logprob") for one in top}
        if all(isinstance(found.get(letter), int | float) for letter in wanted):
            return {letter: found[letter] for letter in wanted}
    return {}


def _of_token(record: Record, answer: str) -> float | None:
    """Return the probability of the token that is the answer, where one is."""
    for token in _tokens(record):
        if answer and str(token.get("token")).strip() == answer:
            return math.exp(token["logprob"])
    return None


def _tokens(record: Record) -> list[Mapping[str, Any]]:
    choices = (record.get("output") or {}).get("choices") or [{}]
    return (choices[0].get("logprobs") or {}).get("content") or []
