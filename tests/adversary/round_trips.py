"""Random predictions through every format, and back."""

from pathlib import Path

import numpy as np
from tests.io.test_write import random_predictions

from calibrant.io import read_predictions, write_predictions

FORMATS = ("csv", "tsv", "csv.gz", "npz", "parquet", "arrow", "feather")


def differences(folder: Path, seeds: range) -> list[str]:
    """Return the round trips that did not bring back the same predictions."""
    found = []
    for seed in seeds:
        written = random_predictions(seed)
        for suffix in FORMATS:
            path = str(folder / f"a.{suffix}")
            write_predictions(path, written)
            read = read_predictions(path).predictions
            same = (
                np.array_equal(read.y_true, written.y_true)
                and np.array_equal(read.y_prob, written.y_prob)
                and list(map(str, read.classes)) == list(map(str, written.classes))
            )
            if not same:
                found.append(f"seed {seed} through {suffix}")
    return found
