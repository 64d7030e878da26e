"""Matrices without names, as LightGBM and XGBoost write them."""

from tests.io.natural._data import ANSWER2, P2, P3, Y2, Y3
from tests.io.natural._kit import Natural

tsv = "\n".join("\t".join(map(repr, row)) for row in P3.tolist()).encode() + b"\n"
labels = "\n".join(map(str, Y3)).encode() + b"\n"
with_labels = "\n".join(
    f"{y}," + ",".join(map(repr, r)) for y, r in zip(Y3, P3.tolist(), strict=True)
).encode()

FILES = {
    "LightGBM, a matrix without names": Natural(
        "LightGBM_predict_result.txt",
        tsv,
        others={"labels.txt": labels},
        given={"labels": "labels.txt"},
    ),
    "XGBoost, one column without a name": Natural(
        "pred.txt",
        "\n".join(map(repr, P2[:, 1].tolist())).encode() + b"\n",
        ANSWER2,
        others={"labels.txt": "\n".join(map(str, Y2)).encode()},
        given={"labels": "labels.txt"},
    ),
    "a matrix with labels, without names": Natural("dump.csv", with_labels, needs={"label": "0"}),
}
