"""A short attack with fixed seeds; `python -m tests.adversary` is the long one."""

import pytest
from tests.adversary.fuzzer import DOCUMENTS, TABLES, run_batch
from tests.adversary.round_trips import differences


def test_files_are_read_right_or_refused():
    tally = run_batch(range(300), TABLES)
    assert not tally.failures, tally
    assert tally.ends["right"] > 100
    assert tally.ends["exit 3"] > 50


def test_documents_are_read_right_or_refused():
    tally = run_batch(range(300), DOCUMENTS)
    assert not tally.failures, tally
    ends = "nested right, damaged 0, damaged 3, apply 0, apply 3, condition right, facts right"
    assert all(tally.ends[end] for end in ends.split(", ")), tally


@pytest.mark.slow
def test_round_trips_bring_back_the_same_predictions(tmp_path):
    assert not differences(tmp_path, range(70, 120))
