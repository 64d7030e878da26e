"""What people save from a spreadsheet, in German and French, too."""

import numpy as np
from tests.io.natural._data import ANIMALS, ANSWER2, NAMES, P2, P3, TOP, Y2, Y3, p2, p3
from tests.io.natural._kit import Natural, csv_of

BOM = b"\xef\xbb\xbf"
TIERE = ("Bär", "Hündin", "Käfer")
JA = np.array(["nein", "ja"])
OUI = np.array(["non", "oui"])


def excel(columns, encoding="cp1252"):
    text = csv_of(columns, sep=";", decimal=",").decode().replace("\n", "\r\n")
    return text.encode(encoding)


FILES = {
    "Excel in German, UTF-8": Natural(
        "a.csv",
        BOM + excel({"Wahrheit": np.array(TIERE)[Y3]} | p3("p_{}", names=TIERE), "utf-8"),
        needs={"label": "Wahrheit"},
    ),
    "German names": Natural(
        "a.csv",
        excel({"Klasse": NAMES} | p3("Wahrscheinlichkeit {}"), "utf-8"),
        needs={"label": "Klasse"},
    ),
    "ja and nein": Natural(
        "a.csv",
        excel({"label": JA[Y2], "p_nein": P2[:, 0], "p_ja": P2[:, 1]}),
        ANSWER2,
        ("nein", "ja"),
    ),
    "ja and nein, one probability": Natural(
        "a.csv",
        excel({"label": JA[Y2], "p": P2[:, 1]}),
        ANSWER2,
        ("nein", "ja"),
        needs={"pos_label": "ja"},
    ),
    "French percent": Natural(
        "a.csv",
        excel(
            {"label": OUI[Y2]}
            | {
                k: [f"{100 * x:.0f} %".replace(".", ",") for x in v]
                for k, v in p2("proba_{}", names=("non", "oui")).items()
            },
            "utf-8",
        ),
        ANSWER2,
        ("non", "oui"),
    ),
    "French percent with narrow blanks": Natural(
        "a.csv",
        excel(
            {"label": OUI[Y2]}
            | {
                k: [f"{100 * x:.0f}\u202f%" for x in v]
                for k, v in p2("proba_{}", names=("non", "oui")).items()
            },
            "utf-8",
        ),
        ANSWER2,
        ("non", "oui"),
    ),
    "an empty line first": Natural("a.csv", b"\n" + csv_of({"label": NAMES} | p3("p_{}"))),
    "blank rows from Excel": Natural(
        "a.csv",
        csv_of({"label": NAMES} | p3("p_{}")) + b",,,\n,,,\n",
        needs={"drop_missing": True},
    ),
    "apostrophes around names": Natural(
        "a.csv",
        csv_of({"label": [f"'{n}'" for n in NAMES]} | p3("p_'{}'")),
        classes=tuple(f"'{n}'" for n in ANIMALS),
    ),
    "upper-case labels, lower-case columns": Natural(
        "a.csv",
        csv_of({"label": [n.upper() for n in NAMES]} | p3("p_{}")),
        needs={"classes": "CAT,DOG,EEL"},
    ),
    "old Mac line ends": Natural(
        "a.csv", csv_of({"label": NAMES} | p3("p_{}")).replace(b"\n", b"\r")
    ),
    "four decimals and a trailing total of 0.9999": Natural(
        "a.csv",
        csv_of({"label": Y3} | {f"p_{j}": np.round(P3[:, j], 4) for j in range(3)}),
    ),
    "predicted column first and repeated class names": Natural(
        "a.csv",
        csv_of({"predicted": np.array(ANIMALS)[TOP], "actual": NAMES} | p3("prob {}")),
    ),
}
