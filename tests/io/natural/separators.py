"""Separators, decimal commas, percent signs, rounded numbers."""

import numpy as np
from tests.io.natural._data import ANIMALS, ANSWER2, NAMES, P2, P3, PERCENT3, Y2, Y3, N, p3, scored
from tests.io.natural._kit import Natural, csv_of, jsonl


def _rounded(decimals):
    """Return a file of numbers with some decimals, whose rows no longer sum to 1."""
    exact = np.random.default_rng(decimals).dirichlet(np.ones(3), N)
    rounded = exact.round(decimals)
    columns = {f"p_{name}": rounded[:, j] for j, name in enumerate(ANIMALS)}
    divided = rounded / rounded.sum(axis=1, keepdims=True)
    return Natural("a.csv", csv_of({"label": NAMES} | columns), (divided, Y3), atol=2e-6)


FILES = {
    "semicolons": Natural("a.csv", csv_of({"truth": NAMES} | p3("p_{}"), sep=";")),
    "semicolons and decimal commas": Natural(
        "a.csv", csv_of({"truth": NAMES} | p3("p_{}"), sep=";", decimal=",")
    ),
    "tabs and decimal commas": Natural(
        "a.txt", csv_of({"outcome": Y2, "risk": P2[:, 1]}, sep="\t", decimal=","), ANSWER2
    ),
    "bars": Natural("a.psv", csv_of({"label": NAMES} | p3("prob_{}"), sep="|")),
    "percent signs": Natural("a.csv", csv_of({"label": NAMES} | PERCENT3)),
    "percent signs and decimal commas": Natural(
        "a.csv",
        csv_of(
            {"label": NAMES}
            | {k: [v.replace("%", ",0 %") for v in c] for k, c in PERCENT3.items()},
            sep=";",
        ),
    ),
    "scores by name, labels by number": Natural(
        "a.jsonl",
        jsonl(*({"label": int(y), "outputs": scored(r)} for y, r in zip(Y3, P3, strict=True))),
        classes=ANIMALS,
        needs={"classes": "cat,dog,eel"},
    ),
    "LABEL_0 and scores by name, labels by number": Natural(
        "a.jsonl",
        jsonl(
            *(
                {"label": int(y), "outputs": scored(r, ["LABEL_0", "LABEL_1", "LABEL_2"])}
                for y, r in zip(Y3, P3, strict=True)
            )
        ),
        classes=("LABEL_0", "LABEL_1", "LABEL_2"),
    ),
    **{f"rounded to {decimals} decimals": _rounded(decimals) for decimals in (2, 3, 4, 6)},
}
