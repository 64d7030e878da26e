"""Evaluation tables of MLflow."""

import pandas as pd
from tests.io.natural._data import FEATURES, P3, TOP, Y3, p3
from tests.io.natural._kit import Natural

FILES = {
    "MLflow evaluation table": Natural(
        "eval_results_table.json",
        pd.DataFrame(
            FEATURES | {"target": Y3, "prediction": TOP} | p3("probability_{}", names="012")
        )
        .to_json(orient="split")
        .encode(),
    ),
    "MLflow evaluation table, lists": Natural(
        "eval_results_table.json",
        pd.DataFrame(
            FEATURES | {"target": Y3, "outputs": TOP, "predicted_probabilities": P3.tolist()}
        )
        .to_json(orient="split")
        .encode(),
    ),
}
