"""No fault that was ever found comes back."""

import pytest
from tests.adversary import (  # noqa: F401 - fill the list
    found_later,
    growth,
    wrong_answers,
    wrong_behavior,
)
from tests.adversary.faults import FAULTS


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.number} {fault.title}")
def test_no_fault_comes_back(fault, tmp_path):
    fault.check(tmp_path)
