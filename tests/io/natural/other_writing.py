"""The same tables in other names, orders, encodings and marks than the other modules use."""

import gzip

import numpy as np
from tests.io.natural._data import (
    ANIMALS,
    ANSWER2,
    CONFIDENCE,
    HITS,
    LOGITS,
    NAMES,
    P2,
    P3,
    SOFT,
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
from tests.io.natural._kit import Natural, csv_of, jsonl, r_csv, r_table

BOM = b"\xef\xbb\xbf"
TEN = np.array([f"Class_{j}" for j in (1, 10, 2)])


def crlf(data):
    return data.replace(b"\n", b"\r\n")


def quoted(columns, **options):
    return csv_of(columns, quoting=1, **options)


def padded(data):
    return data.replace(b",", b" , ")


FILES = {
    "BOM, CRLF and quotes": Natural("a.csv", BOM + crlf(quoted({"Label": NAMES} | p3("Prob_{}")))),
    "BOM, semicolons and decimal commas": Natural(
        "export.csv",
        BOM + crlf(csv_of({"y_true": Y2, "y_score": P2[:, 1]}, sep=";", decimal=",")),
        ANSWER2,
    ),
    "UTF-16 and tabs, as Excel writes": Natural(
        "a.txt", csv_of({"truth": NAMES} | p3("p.{}"), sep="\t").decode().encode("utf-16")
    ),
    "a first line that names the separator": Natural(
        "a.csv", b"sep=;\r\n" + crlf(csv_of({"label": NAMES} | p3("p_{}"), sep=";"))
    ),
    "np.savetxt with a header": Natural(
        "a.csv", b"# " + csv_of({"label": Y3} | p3("p_{}", names="012"))
    ),
    "decimal commas in quotes": Natural(
        "a.csv",
        quoted(
            {"label": NAMES}
            | {name: [f"{v:.2f}".replace(".", ",") for v in c] for name, c in p3("p_{}").items()}
        ),
    ),
    "blanks around everything": Natural("a.csv", padded(csv_of({"label": NAMES} | p3("p_{}")))),
    "a comma after every row": Natural(
        "a.csv", csv_of({"label": NAMES} | p3("p_{}")).replace(b"\n", b",\n")
    ),
    "tabs in a file called csv": Natural(
        "a.csv", csv_of({"Actual": NAMES} | p3("proba_{}"), sep="\t")
    ),
    "bars with blanks": Natural(
        "a.txt", csv_of({"gt": NAMES} | p3("prob.{}"), sep="|").replace(b"|", b" | ")
    ),
    "gzip with a BOM": Natural(
        "a.csv.gz", gzip.compress(BOM + csv_of({"Target": NAMES} | p3("P_{}")))
    ),
    "blank lines at the end": Natural("a.csv", csv_of({"label": NAMES} | p3("p_{}")) + b"\n\n\n"),
    "an index with a name": Natural(
        "a.csv", csv_of({"case_no": range(1000, 1000 + N), "target": NAMES} | p3("proba_{}"))
    ),
    "two index columns": Natural(
        "a.csv",
        b"Unnamed: 0,index"
        + csv_of({"label": NAMES} | p3("pred_{}"), index=True).replace(b"\n", b"\n7,")[
            : -len(b"7,")
        ],
    ),
    "labels 0.0 and 1.0": Natural(
        "a.csv",
        csv_of(
            {"y_true": Y2.astype(float), "y_pred": TWO_TOP.astype(float)}
            | p2("proba_{}", names="01")
        ),
        ANSWER2,
    ),
    "columns 0 and 1": Natural(
        "a.csv", csv_of({"label": Y2, "0": P2[:, 0], "1": P2[:, 1]}), ANSWER2
    ),
    "one column of the positive class": Natural(
        "a.csv", csv_of({"prob_1": P2[:, 1], "actual": Y2}), ANSWER2
    ),
    "true and false": Natural(
        "a.csv",
        csv_of(
            {"outcome": np.array(["false", "true"])[Y2]} | p2("p_{}", (1, 0), ("false", "true"))
        ),
        ANSWER2,
        ("false", "true"),
    ),
    "outcome Yes/No with Prob": Natural(
        "a.csv",
        crlf(csv_of({"Outcome": np.array(["No", "Yes"])[Y2], "Prob": P2[:, 1]})),
        ANSWER2,
        ("No", "Yes"),
        needs={"pos_label": "Yes"},
    ),
    "outcome yes/no with prob_yes": Natural(
        "a.csv", csv_of({"prob_yes": P2[:, 1], "outcome": YES}), ANSWER2, ("no", "yes")
    ),
    "class names with commas and blanks": Natural(
        "a.csv",
        quoted(
            {"label": np.array(["cat, tabby", "dog", "sea eel"])[Y3]}
            | p3("P({})", names=("cat, tabby", "dog", "sea eel"))
        ),
    ),
    "Pr(class)": Natural(
        "a.csv", csv_of({"obs": NAMES} | p3("Pr({})", (2, 0, 1))), classes=ANIMALS
    ),
    "Prob(class)": Natural("a.csv", csv_of({"obs": NAMES} | p3("Prob({})"))),
    "P(Y=class)": Natural("a.csv", csv_of({"y": NAMES} | p3("P(Y={})"))),
    "P(class|x)": Natural("a.csv", csv_of({"y": NAMES} | p3("P({}|x)"))),
    "P[class]": Natural("a.csv", csv_of({"y": NAMES} | p3("P[{}]"))),
    "Probability (class)": Natural("a.csv", csv_of({"Truth": NAMES} | p3("Probability ({})"))),
    "class probability": Natural("a.csv", csv_of({"Truth": NAMES} | p3("{} probability"))),
    "Kaggle, Class_10 before Class_2": Natural(
        "a.csv",
        csv_of({"id": range(N)} | p3("{}", names=TEN) | {"target": TEN[Y3]}),
        classes=tuple(TEN),
    ),
    "labels from 1 and p_1": Natural("a.csv", csv_of({"label": Y3 + 1} | p3("p_{}", names="123"))),
    "labels 1.0 and class_1": Natural(
        "a.csv", csv_of({"label": Y3 + 1.0} | p3("class_{}", names="123"))
    ),
    "one-hot labels": Natural(
        "a.csv",
        csv_of({f"y_{c}": (j == Y3).astype(int) for j, c in enumerate(ANIMALS)} | p3("p_{}")),
        needs={"onehot": True},
    ),
    "R write.csv, names of rows": Natural(
        "a.csv",
        r_csv({"Species": NAMES} | p3("prob.{}")).replace(b'\n"', b'\n"Mazda RX'),
        needs={"label": "Species"},
    ),
    "R write.table, semicolons and decimal commas": Natural(
        "a.txt", r_table({"truth": NAMES} | p3("pred.{}"), ";", dec=",")
    ),
    "tidymodels, .pred_class first": Natural(
        "a.csv",
        csv_of(
            {".pred_class": np.array(ANIMALS)[TOP]}
            | p3(".pred_{}")
            | {"id": ["Fold1"] * N, ".row": range(1, N + 1), "Class": NAMES}
        ),
    ),
    "percent signs behind a blank": Natural(
        "a.csv",
        csv_of(
            {"label": NAMES} | {k: [f"{100 * v:.0f} %" for v in c] for k, c in p3("P({})").items()},
            sep="\t",
        ),
    ),
    "scientific notation": Natural(
        "a.csv", csv_of({"label": NAMES} | p3("p_{}"), float_format="%.3e"), atol=1e-12
    ),
    "camel case, top label only": Natural(
        "a.csv",
        csv_of(
            {"trueClass": NAMES, "predictedClass": np.array(ANIMALS)[TOP], "maxProb": CONFIDENCE}
        ),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "gold, prediction, conf": Natural(
        "a.tsv",
        csv_of({"conf": CONFIDENCE, "gold": Y3, "prediction": TOP}, sep="\t"),
        confident(HITS, CONFIDENCE),
        top_label_only=True,
    ),
    "logit.class": Natural(
        "a.csv",
        csv_of({"truth": NAMES} | {f"logit.{c}": LOGITS[:, j] for j, c in enumerate(ANIMALS)}),
        (SOFT, Y3),
        atol=1e-12,
    ),
    "logits_0": Natural(
        "a.csv",
        csv_of({"labels": Y3} | {f"logits_{j}": LOGITS[:, j] for j in range(3)}, index=True),
        (SOFT, Y3),
        atol=1e-12,
    ),
    "a list called y_prob, labels by name": Natural(
        "a.jsonl",
        jsonl(*({"y_true": n, "y_prob": r.tolist()} for n, r in zip(NAMES, P3, strict=True))),
        needs={"classes": "cat,dog,eel"},
    ),
    "nested records": Natural(
        "a.jsonl",
        jsonl(
            *(
                {
                    "id": i,
                    "gold": n,
                    "pred": {
                        "label": ANIMALS[t],
                        "probs": dict(zip(ANIMALS, r.tolist(), strict=True)),
                    },
                }
                for i, (n, t, r) in enumerate(zip(NAMES, TOP, P3, strict=True))
            )
        ),
    ),
    "JSON Lines, probabilities at the top": Natural(
        "a.jsonl",
        jsonl(
            *(
                dict(zip(ANIMALS, r.tolist(), strict=True)) | {"truth": n}
                for n, r in zip(NAMES, P3, strict=True)
            )
        ),
    ),
}
