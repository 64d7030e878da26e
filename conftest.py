"""What the doctests of the package need and may lack."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/calibrant/torch/*.py"]
if not find_spec("mlflow"):
    collect_ignore_glob.append("src/calibrant/mlflow/*.py")
if not find_spec("sklearn"):
    collect_ignore_glob.append("src/calibrant/recalibration/_recalibrated.py")
