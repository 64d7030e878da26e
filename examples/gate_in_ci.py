"""
A calibration gate in CI
========================

A pipeline writes validation predictions to a file and stops if the model is badly calibrated. The
exit code of ``calibrant gate`` is 1 if a condition holds, and never for any other reason.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import calibrant as cal

folder = Path(tempfile.mkdtemp())
for name, predictions in cal.demo.load_digits_predictions().items():
    cal.io.write_predictions(str(folder / f"{name}.csv"), predictions)


def gate(name, *conditions):
    """Run the gate in a separate process, as a pipeline would."""
    options = [word for condition in conditions for word in ("--fail-if", condition)]
    command = [sys.executable, "-m", "calibrant", "gate", f"{name}.csv", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    print(done.stdout.strip())
    print(f"exit code {done.returncode}\n")


# %%
# Require evidence *and* size: p alone fails harmless models with many rows, and passes terrible
# ones with few.

for name in ("neural_network", "neural_network_scaled", "random_forest"):
    gate(name, "p<0.01 and rmsce.lo>0.02")

# %%
# What can the gate detect? Temperatures in the gray region go undetected more than one time in
# five.

network = cal.demo.load_digits_predictions()["neural_network"]
cal.plots.DetectableDisplay.from_predictions(network).plot()
