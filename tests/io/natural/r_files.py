"""Files written by R: tidymodels, yardstick, caret, write.csv and write.table."""

import numpy as np
from tests.io.natural._data import ANIMALS, ANSWER2, NAMES, P2, TOP, TWO_TOP, Y2, YES, N, p2, p3
from tests.io.natural._kit import Natural, csv_of, r_csv, r_table

FILES = {
    "tidymodels": Natural(
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
    ),
    "tidymodels, yes first": Natural(
        "a.csv",
        csv_of(
            {"truth": YES}
            | p2(".pred_{}", (1, 0))
            | {".pred_class": np.array(["no", "yes"])[TWO_TOP]}
        ),
        ANSWER2,
        classes=("no", "yes"),
    ),
    "yardstick, columns named by the classes": Natural(
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
    ),
    "caret": Natural(
        "a.csv",
        csv_of(
            {"pred": np.array(ANIMALS)[TOP], "obs": NAMES}
            | p3("{}")
            | {"rowIndex": range(1, N + 1), "mtry": [2] * N, "Resample": ["Fold1"] * N}
        ),
    ),
    "R write.csv": Natural("a.csv", r_csv({"truth": NAMES} | p3("{}", (2, 0, 1))), classes=ANIMALS),
    "R write.csv2": Natural("a.csv", r_csv({"truth": NAMES} | p3("p.{}"), ";", ",")),
    "R write.table": Natural("a.txt", r_table({"observed": NAMES} | p3("p.{}"))),
    "R write.table, tabs, no quotes": Natural(
        "a.tsv", r_table({"obs": NAMES} | p3("prob.{}"), "\t", quote=False)
    ),
    "R write.table, commas": Natural(
        "a.csv", r_table({"truth": Y2, "prob": P2[:, 1]}, ","), ANSWER2
    ),
}
