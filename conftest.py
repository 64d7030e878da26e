"""What all tests need: to know what is not installed, and no search for garbage in vain."""

import gc
from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("torch") else ["src/calibrant/torch/*.py"]
if not find_spec("mlflow"):
    collect_ignore_glob.append("src/calibrant/mlflow/*.py")
if not find_spec("sklearn"):
    collect_ignore_glob.append("src/calibrant/recalibration/_recalibrated.py")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Take what thousands of collected tests consist of for what it is: never garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
