"""A short attack with fixed seeds; `python -m tests.adversary` is the long one."""

import pytest
from tests.adversary.fuzzer import run_batch
from tests.adversary.round_trips import differences


def test_files_are_read_right_or_refused():
    tally = run_batch(range(300))
    assert not tally.failures, tally
    assert tally.ends["right"] > 100
    assert tally.ends["exit 3"] > 50


@pytest.mark.slow
def test_round_trips_bring_back_the_same_predictions(tmp_path):
    assert not differences(tmp_path, range(70, 120))
