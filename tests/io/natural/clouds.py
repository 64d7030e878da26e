"""Files of cloud services: Vertex AI, SageMaker, BigQuery ML, DataRobot, Databricks, Snowflake."""

import json

import numpy as np
from tests.io.natural._data import (
    ANIMALS,
    ANSWER2,
    CONFIDENCE,
    NAMES,
    P2,
    P3,
    TOP,
    TWO_TOP,
    Y2,
    YES,
    N,
    p2,
    p3,
    scored,
)
from tests.io.natural._kit import Natural, csv_of, jsonl

TOP_NAMES = np.array(ANIMALS)[TOP]
CHURN = ("False", "True")
FILES = {
    "Vertex AI, batch prediction": Natural(
        "prediction.results-00000-of-00001.jsonl",
        jsonl(
            *(
                {
                    "instance": {"weight": "3.4", "species": n},
                    "prediction": {"classes": list(ANIMALS), "scores": r.tolist()},
                }
                for n, r in zip(NAMES, P3, strict=True)
            )
        ),
        needs={"label": "instance.species"},
    ),
    "Vertex AI, BigQuery export": Natural(
        "a.csv",
        csv_of(
            {
                "label": NAMES,
                "predicted_species.classes": [json.dumps(ANIMALS)] * N,
                "predicted_species.scores": [json.dumps(r.tolist()) for r in P3],
            }
        ),
    ),
    "SageMaker Autopilot": Natural(
        "a.csv",
        csv_of(
            {
                "target": NAMES,
                "predicted_label": TOP_NAMES,
                "probability": CONFIDENCE,
                "probabilities": [str(r.tolist()) for r in P3],
                "labels": [str(list(ANIMALS))] * N,
            }
        ),
    ),
    "SageMaker, joined to its input": Natural(
        "batch.csv.out",
        csv_of({0: Y2, 1: P2[:, 1]}, header=False),
        ANSWER2,
        needs={"label": "0"},
    ),
    "BigQuery ML, CSV": Natural(
        "bq-results.csv",
        csv_of(
            {
                "predicted_species": TOP_NAMES,
                "predicted_species_probs": [json.dumps(scored(r, prob_key="prob")) for r in P3],
                "species": NAMES,
            }
        ),
        classes=ANIMALS,
        needs={"label": "species"},
    ),
    "DataRobot, two classes": Natural(
        "a.csv",
        csv_of(
            {
                "row_id": range(N),
                "readmitted_True_PREDICTION": P2[:, 1],
                "readmitted_False_PREDICTION": P2[:, 0],
                "readmitted_PREDICTION": np.array(CHURN)[TWO_TOP],
                "THRESHOLD": [0.5] * N,
                "POSITIVE_CLASS": ["True"] * N,
                "readmitted": np.array(CHURN)[Y2],
            }
        ),
        ANSWER2,
        CHURN,
        needs={"label": "readmitted"},
    ),
    "DataRobot, many classes": Natural(
        "a.csv",
        csv_of(
            p3("species_{}_PREDICTION")
            | {"species_PREDICTION": TOP_NAMES, "DEPLOYMENT_APPROVAL_STATUS": ["APPROVED"] * N}
            | {"label": NAMES}
        ),
    ),
    "Snowflake": Natural(
        "a.csv",
        csv_of({"TARGET": Y2, "OUTPUT_PREDICTION": TWO_TOP} | p2("PREDICT_PROBA_{}", names="01")),
        ANSWER2,
    ),
    "Databricks, a struct as text": Natural(
        "a.csv",
        csv_of(
            {
                "label": YES,
                "prediction": np.array(["no", "yes"])[TWO_TOP],
                "probabilities": [json.dumps(dict(zip(("no", "yes"), r, strict=True))) for r in P2],
            }
        ),
        ANSWER2,
        ("no", "yes"),
    ),
    "Amazon ML, two classes": Natural(
        "a.csv", csv_of({"trueLabel": Y2, "bestAnswer": TWO_TOP, "score": P2[:, 1]}), ANSWER2
    ),
    "Amazon ML, many classes": Natural(
        "a.csv", csv_of({"trueLabel": NAMES} | p3("{}")), classes=ANIMALS
    ),
    "Azure AutoML": Natural(
        "predictions.csv",
        csv_of(
            {"Survived_orig": Y2, "Survived_predicted": TWO_TOP}
            | p2("Survived_predicted_proba_{}", names="01")
        ),
        ANSWER2,
        needs={"label": "Survived_orig"},
    ),
    "H2O, names of classes": Natural(
        "a.csv",
        csv_of({"predict": TOP_NAMES} | p3("{}") | {"C5": range(N), "response": NAMES}),
        needs={"label": "response"},
    ),
    "H2O, calibrated twice": Natural(
        "a.csv",
        csv_of(
            {"predict": TWO_TOP, "p0": P2[:, 1], "p1": P2[:, 0]}
            | {"cal_p0": P2[:, 0], "cal_p1": P2[:, 1], "y": Y2}
        ),
        (P2[:, ::-1], Y2),
    ),
    "Vertex AI, display names": Natural(
        "a.jsonl",
        jsonl(
            *(
                {
                    "label": n,
                    "prediction": {
                        "ids": ["1", "2", "3"],
                        "displayNames": [one["label"] for one in scored(r)],
                        "confidences": [one["score"] for one in scored(r)],
                    },
                }
                for n, r in zip(NAMES, P3, strict=True)
            )
        ),
        classes=ANIMALS,
    ),
}
