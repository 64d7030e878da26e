"""Make the embedded predictions of `calibrant demo`: python tools/make_demo_data.py.

The data are scikit-learn's handwritten digits (1797 images of 8×8 pixels, 10 classes; the test
set of Alpaydin and Kaynak, "Optical recognition of handwritten digits", UCI repository). A split
with SEED gives 600 rows for training, 400 for choosing the temperature and 797 for the demo;
no shown model was fitted to the last part. With this SEED, logistic regression shows no evidence
against calibration, and the other classifiers are clearly miscalibrated: this is a demonstration,
not a study of classifiers.

The file holds float32 probabilities and uint8 labels. The same scikit-learn on the same machine
gives the same bytes; tests/demo checks the verdicts, not the bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from calibrant import Predictions
from calibrant.effects import temperature
from calibrant.models import temperature_scale

SEED = 1
TARGET = Path(__file__).parents[1] / "src" / "calibrant" / "demo" / "digits.npz"

MODELS = {
    # few parameters for the size of the data: calibrated
    "logistic_regression": make_pipeline(
        StandardScaler(), LogisticRegression(C=3.0, max_iter=5000)
    ),
    # trained to convergence without a penalty: over-confident
    "neural_network": make_pipeline(
        StandardScaler(),
        MLPClassifier((64,), alpha=0.0, max_iter=2000, tol=1e-7, random_state=0),
    ),
    # averages of many trees avoid 0 and 1: under-confident
    "random_forest": RandomForestClassifier(200, random_state=0),
}


def main() -> None:
    """Fit, predict, save."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(SEED).permutation(len(y))
    train, choose, show = np.split(order, [600, 1000])
    arrays = {"y_true": y[show].astype(np.uint8)}
    for name, model in MODELS.items():
        model.fit(X[train], y[train])
        arrays[name] = model.predict_proba(X[show]).astype(np.float32)
        if name == "neural_network":
            factor = temperature(Predictions(y[choose], model.predict_proba(X[choose]))).estimate
            scaled = temperature_scale(model.predict_proba(X[show]), factor)
            arrays["neural_network_scaled"] = scaled.astype(np.float32)
            print(f"temperature of the repair: {factor:.4f}")
    np.savez_compressed(TARGET, **arrays)
    print(f"{TARGET}: {TARGET.stat().st_size} bytes, {len(show)} rows")


if __name__ == "__main__":
    main()
