"""Everything that an attack could not break has a test by name."""

import re
from pathlib import Path

import pytest
from tests.adversary import (  # noqa: F401 - fill the list
    found_later,
    growth,
    wrong_answers,
    wrong_behavior,
)
from tests.adversary.faults import FAULTS
from tests.adversary.held import FAULT, HELD

TESTS = Path(__file__).parents[1]
NUMBERS = {fault.number for fault in FAULTS}


@pytest.mark.parametrize("item", HELD)
def test_every_item_has_its_tests(item):
    assert HELD[item]
    for folder, name in HELD[item]:
        if folder == FAULT:
            assert name in NUMBERS
        else:
            texts = [path.read_text() for path in (TESTS / folder).glob("test_*.py")]
            assert any(re.search(rf"^def {name}\(", text, re.MULTILINE) for text in texts), name
