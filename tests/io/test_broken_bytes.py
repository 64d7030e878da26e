"""A file with corrupted bytes is refused, or still contains predictions."""

import random

import numpy as np
import pytest
from tests.io.legal import LEGAL

from calibrant.io import InputError, read_predictions

#: broken copies of every file; a longer run is a matter of patience
COPIES = 60


def broken(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    to = min(len(data), at + rng.randint(1, 30))
    part = data[at:to]
    return {
        "cut": lambda: data[:at],
        "flip": lambda: data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :],
        "shuffle": lambda: data[:at] + bytes(rng.sample(part, len(part))) + data[to:],
        "drop": lambda: data[:at] + data[to:],
        "repeat": lambda: data[:to] + part + data[to:],
        "zero": lambda: data[:at] + bytes(len(part)) + data[to:],
        "noise": lambda: data[:at] + rng.randbytes(len(part)) + data[to:],
        "insert": lambda: data[:at] + rng.choice(MARKS) + data[at:],
        "graft": lambda: data[:at] + (other := rng.choice(FILES))[rng.randrange(len(other)) :],
    }[rng.choice(WAYS)]()


FILES = list(LEGAL.values())
MARKS = [
    b'"',
    b",",
    b"\n",
    b"\r",
    b"\0",
    b"\xff",
    b"nan",
    b"1e999",
    b"_",
    b"9" * 30,
    b"\xef\xbb\xbf",
]
WAYS = ["cut", "flip", "shuffle", "drop", "repeat", "zero", "noise", "insert", "graft"]


def outcome(path):
    try:
        return read_predictions(str(path)).predictions.y_prob
    except InputError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LEGAL)
def test_broken_bytes_are_refused_or_read(name, tmp_path):
    rng = random.Random(name)
    path = tmp_path / name
    for _ in range(COPIES):
        path.write_bytes(broken(LEGAL[name], rng))
        found = outcome(path)
        if isinstance(found, str):
            assert found.startswith(f"{path}: ")
            assert len(found) < 2000
        else:
            assert np.all(found >= 0)
            np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=8e-3)
