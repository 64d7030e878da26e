"""Samples of an Inspect log: whether answers are right, with their stated or measured confidence.

If the log has the log-probability of every letter of a multiple-choice question, the letters are
the classes. Otherwise the question is whether answers are right as often as their confidence says.
The confidence is the scorer's `confidence` or the probability of the answer's token.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from calibrant.errors import InputError, Problem
from calibrant.io._json._records import Record

#: values of a score; P, partly right, counts as neither
_VALUES = {"C": True, "I": False, "N": False, "1": True, "0": False, "1.0": True, "0.0": False,
           "TRUE": True, "FALSE": False}  # fmt: skip
_KEYS = {"id", "epoch", "target", "scores"}


def fits(records: Sequence[Record]) -> bool:
    """Return whether records are samples of Inspect; a failed sample has no score."""
    return all(
        record.keys() >= _KEYS and isinstance(record["scores"], Mapping | None)
        for record in records
    )


def rows(records: Sequence[Record], file: str) -> list[Record]:
    """Return one row for each sample and epoch with a score."""
    scored = [record for record in records if record["scores"]]
    if not scored:
        raise InputError(
            Problem.EMPTY,
            f"none of the {len(records):,} samples has a score",
            source=file,
            remedy="add scores: inspect score",
        )
    letters = [_letters(record) for record in scored]
    if all(letters) and len({tuple(one) for one in letters}) == 1:
        return [
            {"question_id": record["id"], "epoch": record["epoch"], "target": record["target"],
             "logprobs": one}
            for record, one in zip(scored, letters, strict=True)
        ]  # fmt: skip
    found: list[Record] = [_judged(record) for record in scored]
    if not any("confidence" in row for row in found):
        raise InputError(
            Problem.COLUMNS,
            "no sample has a confidence: neither log-probabilities of the answer nor a score with "
            "`confidence` in its value or metadata",
            source=file,
            remedy="evaluate with `logprobs=True`, or let the scorer keep a stated confidence",
        )
    return found


def _judged(record: Record) -> dict[str, Any]:
    row = {"question_id": record["id"], "epoch": record["epoch"]}
    scores = record["scores"]
    for name, score in scores.items():
        parts = score["value"] if isinstance(score.get("value"), Mapping) else {}
        key = "correct" if len(scores) == 1 else f"correct.{name}"
        row[key] = _correctness(parts.get("correct") if parts else score.get("value"))
        stated = (parts | (score.get("metadata") or {})).get("confidence")
        confidence = stated if stated is not None else _of_token(record, _answer(score))
        if confidence is not None:
            row["confidence"] = _number(confidence)
    return row


def _correctness(value: Any) -> bool | None:
    return _VALUES.get(str(value).upper())


def _answer(score: Mapping[str, Any]) -> str:
    return str(score.get("answer") or "").strip()


def _number(value: Any) -> Any:
    """Return a stated confidence as a number; "90 %" is 0.9."""
    if isinstance(value, str) and value.strip().endswith("%"):
        return float(value.strip().removesuffix("%")) / 100.0
    return value


def _letters(record: Record) -> dict[str, float]:
    """Return the log-probability of every letter, or nothing if the log lacks any.

    They are those of the last token that equals the answer. If choices were shuffled, the letter in
    the answer is not the one that the model wrote, so the result is empty.
    """
    choices = record.get("choices") or ()
    wanted = [chr(ord("A") + i) for i in range(len(choices))]
    if len(wanted) < 2 or record["target"] not in wanted or not _agrees(record):
        return {}
    answers = {_answer(score) for score in record["scores"].values()} & set(wanted)
    for token in reversed(_tokens(record)):
        top = token.get("top_logprobs") or ()
        found = {str(one.get("token")).strip(): one.get("logprob") for one in top}
        if all(type(found.get(letter)) in (int, float) for letter in wanted):
            is_answer = not answers or str(token.get("token")).strip() in answers
            return {letter: found[letter] for letter in wanted} if is_answer else {}
    return {}


def _agrees(record: Record) -> bool:
    """Return whether every score of a letter is right for the target and wrong for others."""
    return all(
        _correctness(score.get("value")) in (None, _answer(score) == record["target"])
        for score in record["scores"].values()
        if len(_answer(score)) == 1
    )


def _of_token(record: Record, answer: str) -> float | None:
    """Return the probability of the last token that equals the answer, if there is one."""
    for token in reversed(_tokens(record)):
        if answer and str(token.get("token")).strip() == answer:
            return math.exp(token["logprob"])
    return None


def _tokens(record: Record) -> list[Mapping[str, Any]]:
    choices = (record.get("output") or {}).get("choices") or [{}]
    return (choices[0].get("logprobs") or {}).get("content") or []
