"""The long attack: ``python -m tests.adversary --minutes 30``."""

import argparse
import sys
import time
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.adversary import (  # noqa: F401 - fill the list
    found_later,
    growth,
    wrong_answers,
    wrong_behavior,
)
from tests.adversary.faults import FAULTS
from tests.adversary.fuzzer import DOCUMENTS, EVERY, TABLES, fuzz
from tests.adversary.round_trips import differences


def main() -> int:
    """Run every reproducer, many round trips, then the fuzzer; return how many things failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.adversary", description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="of fuzzing")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the first seed")
    parser.add_argument("--round-trips", type=int, default=5000)
    parser.add_argument("--trials", choices=["every", "tables", "documents"], default="every")
    options = parser.parse_args()
    left = sum(_comes_back(fault) for fault in FAULTS)
    print(f"{left} of {len(FAULTS)} reproducers left", flush=True)
    with TemporaryDirectory() as folder:
        different = differences(Path(folder), range(options.round_trips))
    print(
        f"{len(different)} of {options.round_trips} round trips different", *different, sep="\n  "
    )
    print(f"fuzzing from seed {options.seed}", flush=True)
    chosen = {"every": EVERY, "tables": TABLES, "documents": DOCUMENTS}[options.trials]
    tally = fuzz(options.seed, 60 * options.minutes, chosen)
    print(tally, *tally.failures, sep="\n  ")
    return left + len(different) + len(tally.failures)


def _comes_back(fault) -> bool:
    try:
        with TemporaryDirectory() as folder:
            fault.check(Path(folder))
    except Exception:
        print(f"{fault.number} {fault.title}:\n{traceback.format_exc()}")
        return True
    return False


if __name__ == "__main__":
    sys.exit(bool(main()))
