"""What desktop programs write: Orange, KNIME, Weka, SPSS, SAS, JMP, Stata, MATLAB."""

import numpy as np
from tests.io.natural._data import (
    ANIMALS,
    ANSWER2,
    CONFIDENCE,
    HITS,
    NAMES,
    P2,
    P3,
    TOP,
    TWO_TOP,
    Y2,
    Y3,
    YES,
    N,
    confident,
    p2,
    p3,
)
from tests.io.natural._kit import Natural, csv_of

TOP_NAMES = np.array(ANIMALS)[TOP]


FILES = {
    "Orange, one model": Natural(
        "a.csv",
        csv_of(
            {"petal length": np.arange(N) / 7, "iris": NAMES, "Random Forest": TOP_NAMES}
            | p3("Random Forest ({})")
        ),
        needs={"label": "iris"},
    ),
    "Orange, two models": Natural(
        "a.csv",
        csv_of(
            {"class": NAMES, "Tree": TOP_NAMES, "kNN": TOP_NAMES}
            | p3("Tree ({})")
            | p3("kNN ({})", (1, 2, 0))
        ),
        needs={"prob": "Tree (cat),Tree (dog),Tree (eel)"},
    ),
    "KNIME, overall prediction": Natural(
        "a.csv",
        csv_of(
            {"Row ID": [f"Row{i}" for i in range(N)], "Species": NAMES}
            | p3("P (Species={})")
            | {"Prediction (Species)": TOP_NAMES, "Prediction (Species) (Confidence)": CONFIDENCE}
        ),
        needs={"label": "Species"},
    ),
    "SPSS, binary logistic regression": Natural(
        "a.csv",
        csv_of({"event": Y2, "PRE_1": P2[:, 1], "PGR_1": TWO_TOP}),
        ANSWER2,
        needs={"prob": "PRE_1"},
    ),
    "SPSS, multinomial": Natural(
        "a.csv",
        csv_of(
            {"target": Y3 + 1}
            | {f"EST{j + 1}_1": P3[:, j] for j in range(3)}
            | {"PRE_1": TOP + 1, "PCP_1": CONFIDENCE, "ACP_1": P3[np.arange(N), Y3]}
        ),
    ),
    "SAS, PROC LOGISTIC": Natural(
        "a.csv",
        csv_of({"_FROM_": Y2, "_INTO_": TWO_TOP, "IP_0": P2[:, 0], "IP_1": P2[:, 1]}),
        ANSWER2,
    ),
    "SAS Enterprise Miner, many classes": Natural(
        "a.csv",
        csv_of({"F_Species": NAMES, "I_Species": TOP_NAMES} | p3("P_Species{}")),
        needs={"label": "F_Species"},
    ),
    "JMP": Natural(
        "a.csv",
        csv_of({"Species": NAMES} | p3("Prob[{}]") | {"Most Likely Species": TOP_NAMES}),
        needs={"label": "Species"},
    ),
    "Stata, predict after logit": Natural(
        "a.csv", csv_of({"outcome": Y2, "phat": P2[:, 1], "_est_m1": [1] * N}), ANSWER2
    ),
    "Stata, predict after mlogit": Natural(
        "a.csv", csv_of({"y": Y3 + 1} | {f"pr{j + 1}": P3[:, j] for j in range(3)})
    ),
    "MATLAB, writetable": Natural(
        "a.csv",
        csv_of(
            {"YTrue": NAMES, "YPred": TOP_NAMES} | {f"Scores_{j + 1}": P3[:, j] for j in range(3)}
        ),
        needs={"classes": "cat,dog,eel"},
    ),
    "MATLAB, two classes": Natural(
        "a.csv",
        csv_of({"Ytest": Y2 + 1, "label": TWO_TOP + 1, "score_1": P2[:, 0], "score_2": P2[:, 1]}),
        ANSWER2,
        needs={"label": "Ytest"},
    ),
    "SPSS Modeler": Natural(
        "a.csv",
        csv_of({"Drug": NAMES, "$L-Drug": TOP_NAMES, "$LP-Drug": CONFIDENCE} | p3("$LP-{}")),
        needs={"label": "Drug"},
    ),
    "SPSS Modeler, confidence only": Natural(
        "a.csv",
        csv_of({"label": NAMES, "prediction": TOP_NAMES, "$CC-Drug": CONFIDENCE}),
        confident(HITS, CONFIDENCE),
        needs={"prob": "$CC-Drug"},
        top_label_only=True,
    ),
    "Alteryx": Natural(
        "a.csv",
        csv_of({"Actual": YES, "Score_no": P2[:, 0], "Score_yes": P2[:, 1]}),
        ANSWER2,
        ("no", "yes"),
    ),
    "scikit-learn, a frame of predict_proba": Natural(
        "a.csv", csv_of(p3("{}") | {"y_test": NAMES, "y_pred": TOP_NAMES}, index=True)
    ),
    "JASP": Natural("a.csv", csv_of({"y": YES} | p2("P({})")), ANSWER2, ("no", "yes")),
}
