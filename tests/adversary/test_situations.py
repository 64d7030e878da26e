"""Files that people write, each with its outcome: read right, refused, or one of these two."""

import json

import numpy as np
import pytest

from calibrant.errors import DataError
from calibrant.io import read_predictions

READ, REFUSED, EITHER = {"read"}, {"refused"}, {"read", "refused"}
#: probabilities of the first and of the second class, and the class of every row
ROWS = [(0.6, 0.4, 0), (0.3, 0.7, 1), (0.8, 0.2, 1)]
OWN = [0.6, 0.7, 0.2]


def table(first, second, head_first=None, head_second=None, *, backwards=True):
    """Return a CSV file whose columns are, if not told otherwise, in another order."""
    heads = [f"p_{head_first or first}", f"p_{head_second or second}"]
    rows = [[str(a), str(b)] for a, b, _ in ROWS]
    if backwards:
        heads, rows = heads[::-1], [row[::-1] for row in rows]
    lines = [
        f"{(first, second)[y]},{','.join(row)}" for row, (*_, y) in zip(rows, ROWS, strict=True)
    ]
    return "\n".join([f"label,{','.join(heads)}", *lines, ""])


def single(column, labels=(0, 1), of=1):
    """Return a CSV file with one column, the probability of one of the two classes."""
    lines = [f"{labels[row[2]]},{row[of]}" for row in ROWS]
    return "\n".join([f"label,{column}", *lines, ""])


PLAIN = table("a", "b")
OBJECTS = [{"label": y, "probs": {"1": b, "0": a}} for a, b, y in ROWS]

TEXTS = {
    # booleans
    "booleans as texts": (table("False", "True"), READ),
    "booleans of R": (table("FALSE", "TRUE"), READ),
    "booleans of R, columns of Python": (table("FALSE", "TRUE", "False", "True"), EITHER),
    "booleans and numbers": (table("false", "true", "0", "1"), EITHER),
    "German booleans": (table("falsch", "wahr"), READ),
    "numbers and German booleans": (table("0", "1", "falsch", "wahr"), READ),
    "numbers and French words": (table("0", "1", "non", "oui"), READ),
    "numbers and a word and its opposite": (table("0", "1", "invalid", "valid"), REFUSED),
    "numbers and what usually is 0": (table("0", "1", "control", "case"), REFUSED),
    # numbers
    "leading zeros": (table("01", "02"), READ),
    "leading zeros in the header": (table("1", "2", "01", "02"), EITHER),
    "leading zeros in the cells": (table("01", "02", "1", "2"), EITHER),
    "floats as labels": (table("0.0", "1.0", "0", "1"), READ),
    "exponents as labels": (table("0e0", "1e0", "0", "1"), EITHER),
    "negative labels": (table("-1", "1"), READ),
    "signs on both": (table("-1", "+1"), READ),
    "the minus of typesetters": (table("\u22121", "1", "-1", "1"), EITHER),
    "halves": (table("0.5", "1.5"), READ),
    "thousands": (table('"1,000"', '"2,000"', "1000", "2000"), EITHER),
    "hexadecimal": (table("0x0", "0x1", "0", "1"), EITHER),
    "Arabic digits": (table("\u0660", "\u0661", "0", "1"), EITHER),
    "0 and 00": (table("0", "00"), EITHER),
    "1 and 1.0": (table("1", "1.0"), EITHER),
    "counted from 1": (table("1", "2", "0", "1", backwards=False), REFUSED),
    "a gap": (table("0", "2"), READ),
    "a gap that labels do not have": (table("0", "1", "0", "2"), REFUSED),
    # blanks, marks and letters
    "blanks behind labels": (table("cat ", "dog  ", "cat", "dog"), EITHER),
    "one name after blanks are gone": (table("cat", "cat "), REFUSED),
    "a blank that does not break": (table("cat\u00a0", "dog", "cat", "dog"), EITHER),
    "two forms of an accent": (table("\u00e9", "o", "e\u0301", "o"), EITHER),
    "both forms as classes": (table("\u00e9", "e\u0301"), EITHER),
    "a blank of no width": (table("cat", "dog", "\u200bcat", "dog"), EITHER),
    "two byte order marks": ("\ufeff\ufeff" + PLAIN, EITHER),
    "columns that differ in case": (table("a", "A"), READ),
    "labels that differ in case": (table("Cat", "dog", "cat", "dog"), EITHER),
    "two label columns that differ in case": (PLAIN.replace("p_b", "Label"), REFUSED),
    "dotless i": (table("\u0131", "i"), EITHER),
    # names that look like something else
    "dates": (table("2020-01-01", "2021-01-01"), READ),
    "dates in another form": (table("2020-01-01", "2021-01-01", "1/1/2020", "1/1/2021"), REFUSED),
    "NaN as a class": (table("NaN", "x"), EITHER),
    "None as a class": (table("None", "x"), EITHER),
    "nothing as a class": (table("", "x"), REFUSED),
    "probabilities as classes": (table("0.1", "0.9"), READ),
    "percentages as classes": (table("50%", "90%"), READ),
    "a class called label": (table("label", "x"), READ),
    "a class that is another with its prefix": (table("p_a", "a"), EITHER),
    # layouts
    "an index": (PLAIN.replace("label", "Unnamed: 0,label").replace("\na", "\n1,a")
                 .replace("\nb", "\n2,b"), READ),
    "a comment": (f"# made by a model\n{PLAIN}", EITHER),
    "the first line of a spreadsheet": (f"sep=;\n{PLAIN.replace(',', ';')}", EITHER),
    "old line ends": (PLAIN.replace("\n", "\r"), READ),
    "line ends the wrong way round": (PLAIN.replace("\n", "\n\r"), EITHER),
    "commas and semicolons": ("label;p_a;p_b\na,0.6,0.4\n", REFUSED),
    "decimal commas": (PLAIN.replace(",", ";").replace("0.", "0,"), READ),
    "a header only": ("label,p_a,p_b", REFUSED),
    "totals at the end": (f"{PLAIN}total,1.3,1.7\n", REFUSED),
    "a count at the end": (f"{PLAIN}(3 rows)\n", REFUSED),
    "two lines of names": (PLAIN.replace("\n", "\n,x,x\n", 1), REFUSED),
    # one column
    "P(1)": (single("p_1"), READ),
    "P(0)": (single("p_0", of=0), READ),
    "P(false)": (single("p_False", ("False", "True"), of=0), READ),
    "P(ham)": (single("p_ham", ("ham", "spam"), of=0), READ),
    "P(ham) of numbers": (single("p_ham", of=0), REFUSED),
    "P(not it)": (single("p_not_churned", of=0), REFUSED),
    "P(nonevent)": (single("p_nonevent", of=0), REFUSED),
    "labels 1 and 2": (single("p", (1, 2)), REFUSED),
    "labels -1 and 1": (single("p", (-1, 1)), EITHER),
    "hard predictions": ("y_true,y_pred\n0,0\n1,1\n1,0\n", REFUSED),
    "a column called loss": (single("loss"), REFUSED),
}  # fmt: skip
DOCUMENTS = {
    "numbers as keys": (OBJECTS, READ),
    "booleans as keys": ([{"label": bool(y), "probs": {"true": b, "false": a}}
                          for a, b, y in ROWS], READ),
    "numbers in quotes": ([{"label": "ab"[y], "p_b": str(b), "p_a": str(a)}
                           for a, b, y in ROWS], EITHER),
    "names, and lists without": ([{"label": "ab"[y], "probs": [a, b]} for a, b, y in ROWS],
                                 REFUSED),
    "a key for each row": ({str(i): row for i, row in enumerate(OBJECTS)}, EITHER),
    "rows of one class each": ([{"id": i, "label": "ab"[y], "class": c, "prob": q}
                                for i, (*p, y) in enumerate(ROWS)
                                for c, q in zip("ab", p, strict=True)], REFUSED),
}  # fmt: skip


def outcome(path):
    try:
        found = read_predictions(str(path)).predictions
    except DataError:
        return "refused"
    own = found.y_prob[np.arange(len(found)), found.y_true]
    return "read" if own.tolist() == pytest.approx(OWN) else f"wrong: {own.tolist()}"


@pytest.mark.parametrize("title", TEXTS)
def test_tables_are_read_right_or_refused(title, tmp_path):
    text, wanted = TEXTS[title]
    (tmp_path / "a.csv").write_bytes(text.encode())
    assert outcome(tmp_path / "a.csv") in wanted


@pytest.mark.parametrize("title", DOCUMENTS)
def test_documents_are_read_right_or_refused(title, tmp_path):
    document, wanted = DOCUMENTS[title]
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert outcome(tmp_path / "a.json") in wanted
