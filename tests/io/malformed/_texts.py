"""CSV and JSON that must be refused."""

import numpy as np
from tests.io.encoded import (
    GOOD_CSV,
    P,
    Y,
    csv_of,
)
from tests.io.malformed._file import Malformed

TEXTS = {
    "missing file": Malformed("none.csv", None, "there is no such file"),
    "empty": Malformed("empty.csv", b"", "the file is empty"),
    "blank lines only": Malformed("blank.csv", b"\n\n\n", "only blank lines"),
    "header only": Malformed("header.csv", b"label,p_0,p_1\n", "no row of data"),
    "no header": Malformed("data.csv", b"0,0.7,0.3\n1,0.2,0.8\n", "looks like data"),
    "truncated": Malformed("cut.csv", GOOD_CSV[:-7].encode(), "line 4 must have 4 cells"),
    "ragged": Malformed(
        "ragged.csv", GOOD_CSV.encode() + b"1,0.1,0.8,0.05,0.05\n", "line 5 must have 4 cells"
    ),
    "semicolons, and another number of cells": Malformed(
        "semicolons.csv", b"label;p_0;p_1\n0;0.5;0.5\n1;0.5\n", "--delimiter ';'"
    ),
    "written answers of a language model": Malformed(
        "samples.jsonl",
        b'{"doc_id": 0, "target": "42", "filtered_resps": ["42"], "exact_match": 1.0}\n' * 2,
        "written answers, without the log-likelihoods of choices",
    ),
    "decimal commas and points": Malformed(
        "comma.csv",
        b"label;p_0;p_1\n0;0,75;0,25\n1;0.75;0.25\n",
        "line 2, column 'p_0' must be a number; got '0,75'. Write decimal points",
    ),
    "some percent signs": Malformed(
        "percent.csv",
        b"label,p_0,p_1\n0,50%,50%\n1,20%,0.8\n",
        "must be a number; got '50%'. If all numbers are percentages, pass --percent",
    ),
    "a number between classes": Malformed(
        "flag.csv",
        b"label,held_out,cat,dog\ncat,1,0.5,0.499\ndog,0,0.501,0.5\n",
        "o label is called 'held_out'. Name the probability columns with --prob, for example "
        "--prob 'cat,dog'",
    ),
    "broken json": Malformed("rows.json", b'[{"label": 0, "p": 0.5}, ', "not well-formed JSON"),
    "json of something else": Malformed("rows.json", b'{"version": 2}', "no label column"),
    "a broken line of json": Malformed(
        "rows.jsonl", b'{"label": 0, "p": 0.5}\n{"label": 1, "p": \n', "line 2 is not well-formed"
    ),
    "other classes in a line of json": Malformed(
        "rows.jsonl",
        b'{"label": "a", "probs": {"a": 0.5, "b": 0.5}}\n'
        b'{"label": "a", "probs": {"a": 0.5, "c": 0.5}}\n',
        "must contain a number for each of a, b in every row",
    ),
    "lists of several lengths in json": Malformed(
        "rows.jsonl",
        b'{"label": 0, "probs": [0.5, 0.5]}\n{"label": 1, "probs": [0.5, 0.25, 0.25]}\n',
        "must contain 2 numbers in every row",
    ),
    "classes listed in every row of text": Malformed(
        "lists.csv",
        b"label,labels,scores\n0,\"['1', '0']\",\"[0.7, 0.2, 0.1]\"\n",
        "'labels' lists the classes of 'scores' row by row",
    ),
    "text among numbers": Malformed(
        "text.csv", GOOD_CSV.replace("0.8", "high").encode(), "line 3, column 'p_1' must be a num"
    ),
    "unfinished quote": Malformed("quote.csv", GOOD_CSV.encode() + b'"1,0.1', "line 5"),
    "a label column of another name": Malformed(
        "diagnosis.csv",
        b"diagnosis,p_yes\nyes,0.5\nno,0.25\nyes,0.5\nno,0.125\n",
        "--label 'diagnosis'",
    ),
    "a column of each model": Malformed(
        "models.csv", b"y,nb,rf\n0,0.5,0.25\n1,0.5,0.75\n", "name one: --prob 'nb'"
    ),
    "missing label column": Malformed(
        "nolabel.csv", b"case,p_0,p_1\na,0.5,0.5\n", "there is no label column"
    ),
    "two label columns": Malformed(
        "two.csv", b"label,target,p_0,p_1\n0,0,0.5,0.5\n", "'label', 'target' could all be"
    ),
    "two sets of probabilities": Malformed(
        "sets.csv",
        b"label,p_0,p_1,prob_0,prob_1\n0,0.5,0.5,0.5,0.5\n",
        "the probabilities could be ('p_0', 'p_1') or ('prob_0', 'prob_1')",
    ),
    "no probability column": Malformed("noprob.csv", b"label,case\n0,7\n", "no probability column"),
    "duplicated header": Malformed(
        "twice.csv", b"label,p_0,p_0\n0,0.5,0.5\n", "names 'p_0' more than once"
    ),
    "nan": Malformed("nan.csv", GOOD_CSV.replace("0.8", "nan").encode(), "must be finite"),
    "empty cell": Malformed("cell.csv", GOOD_CSV.replace("0.8", "").encode(), "must be finite"),
    "missing label": Malformed(
        "label.csv", GOOD_CSV.replace("\n1,", "\n,").encode(), "missing label"
    ),
    "logits": Malformed("logits.csv", csv_of(Y, 3 * P - 1), "--logits"),
    "log-probabilities": Malformed("log.csv", csv_of(Y, np.log(P)), "look like log-probabilities"),
    "percentages": Malformed("percent.csv", csv_of(Y, 100 * P), "look like percentages"),
    "rows that do not sum to 1": Malformed(
        "sums.csv", csv_of(Y, 0.9 * P), "must have rows that sum to 1"
    ),
    "1-based": Malformed(
        "one.csv", csv_of(Y + 1, P, "label,p_a,p_b,p_c"), "start at 1, pass --one-based"
    ),
    "1-based with numbers in the header": Malformed(
        "one.csv", csv_of(Y + 1, P), "start at 1, pass --one-based"
    ),
    "unknown label": Malformed(
        "unknown.csv", GOOD_CSV.replace("\n2,", "\ncat,").encode(), "not among them"
    ),
    "label out of range": Malformed(
        "range.csv", csv_of(Y + 7, P), "at row 0 (the 1st row of data)", ()
    ),
    "binary garbage": Malformed("garbage.csv", bytes(range(256)) * 20, "binary data"),
    "not utf-8": Malformed(
        "latin.csv", "label,p_chat,p_pêche\n".encode("latin-1") + b"chat,1,0\n", "not UTF-8"
    ),
    "a zero byte": Malformed("zero.csv", GOOD_CSV.encode() * 300 + b"\0", "zero byte"),
    "a line of many megabytes": Malformed(
        "line.csv", b"label,p_0," + b"x," * (9 << 19), "line 1 has more than 8,388,608 characters"
    ),
    "a row of many megabytes": Malformed(
        "row.csv", b"label,p_0,p_1\n0,0.5," + b"5" * (9 << 20) + b"\n", "line 2"
    ),
    "one column, many classes": Malformed(
        "single.csv", b"label,p\n0,0.5\n1,0.5\n2,0.5\n", "Choose one column per class with --prob"
    ),
    "names without a positive class": Malformed(
        "names.csv", b"label,p\nno,0.5\nyes,0.5\n", "--pos-label"
    ),
    "negative weight": Malformed(
        "weight.csv", b"label,p,w\n0,0.5,1\n1,0.5,-1\n", "non-negative", ("--weight", "w")
    ),
    "unknown column": Malformed(
        "column.csv", GOOD_CSV.encode(), "there is no column 'truth'", ("--label", "truth")
    ),
    "other classes": Malformed(
        "classes.csv", GOOD_CSV.encode(), "must name the same classes", ("--classes", "0,1,x")
    ),
    "soft one-hot": Malformed(
        "soft.csv", b"y_a,y_b,p_a,p_b\n0.5,0.5,0.5,0.5\n", "one 1 and otherwise 0", ("--onehot",)
    ),
    "an identifier beside classes, divided away": Malformed(
        "case.csv",
        b"label,case,cat,dog\ncat,1,0.5,0.5\ndog,2,0.5,0.5\n",
        "--prob 'cat,dog'",
        ("--normalize",),
    ),
    "an identifier called id, divided away": Malformed(
        "id.csv",
        b"label,id,cat,dog\ncat,1,0.5,0.5\ndog,2,0.5,0.5\n",
        "no label is called 'id'",
        ("--normalize",),
    ),
    "codes beside names of classes, divided away": Malformed(
        "codes.csv",
        b"label,case,cat,dog\n0,1,0.5,0.5\n1,2,0.5,0.5\n",
        "no label is called 'case', 'cat', 'dog'",
        ("--normalize",),
    ),
    "utf-16 without a mark": Malformed(
        "utf16.csv", GOOD_CSV.encode("utf-16-le"), "binary data, or text in UTF-16"
    ),
    "half a character of utf-16": Malformed(
        "half.csv", GOOD_CSV.encode("utf-16")[:-1], "not UTF-16: truncated data"
    ),
    "utf-32": Malformed("utf32.csv", b"\xff\xfe\0\0" + GOOD_CSV.encode("utf-32-le"), "zero byte"),
    "thousands": Malformed(
        "thousands.csv",
        b'label,p_0,p_1\n0,"1,000","2,000"\n',
        "marks between thousands",
        ("--normalize",),
    ),
    "digits with underscores": Malformed(
        "underscore.csv", b"label,p_0,p_1\n0,0.5,0.5\n1,0.2_5,0.7_5\n", "got '0.2_5'"
    ),
    "digits of another script": Malformed(
        "digits.csv", "label,p_0,p_1\n0,０.５,0.5\n".encode(), "line 2, column 'p_0' must be a num"
    ),
    "infinity": Malformed("inf.csv", b"label,p_0,p_1\n0,inf,0\n1,0.5,0.5\n", "must be finite"),
    "NA among numbers": Malformed("na.csv", b"label,p_0,p_1\n0,NA,0.5\n", "got 'NA'"),
    "a repeated header": Malformed(
        "again.csv", GOOD_CSV.encode() * 2, "This line repeats the header: remove it"
    ),
    "more cells than names": Malformed(
        "cells.csv", b"label,p_0,p_1\n0,.5,.5,\n", "line 2 must have 3 cells"
    ),
    "a title above": Malformed(
        "title.csv", b"Made by me\n" + GOOD_CSV.encode(), "The first line must name all columns"
    ),
    "labels in capitals": Malformed(
        "capitals.csv",
        b"label,p_cat,p_dog\nCat,0.5,0.5\nDog,0.5,0.5\n",
        "The label 'Cat' and the class 'cat' differ only in letter case, spaces or",
    ),
    "another accent": Malformed(
        "accent.csv",
        "label,p_\u00e9,p_b\ne\u0301,0.5,0.5\nb,0.5,0.5\n".encode(),
        r"The label 'e\u0301' and the class '\xe9' differ",
    ),
    "broken labels": Malformed(
        "fraction.csv", b"label,p_0,p_1\n0.5,.5,.5\n1,.5,.5\n", "got 1 label not among them"
    ),
    "booleans of three classes": Malformed(
        "booleans.csv",
        b"label,p_0,p_1,p_2\nTRUE,.5,.5,0\nFALSE,.5,.5,0\n",
        "must not be booleans if there are 3 classes",
    ),
    "a label of many characters": Malformed(
        "document.csv", b"label,p_0,p_1\n" + b"x" * 2000 + b",.5,.5\n", "got one of 2,000"
    ),
    "a cell of many characters": Malformed(
        "cell.csv",
        b"label,p_0,p_1\n0,.5,x" + b"x" * (1 << 18) + b"\n",
        "line 2 has a cell of more than 131,072 characters",
    ),
    "weights that are texts": Malformed(
        "weight.csv", b"label,p,w\n0,.5,x\n1,.5,1\n", "column 'w'", ("--weight", "w")
    ),
    "weights of nothing": Malformed(
        "weight.csv", b"label,p,w\n0,.5,0\n1,.5,0\n", "positive sum", ("--weight", "w")
    ),
    "rounding below zero": Malformed(
        "noise.csv", b"label,p_0,p_1\n0,-1e-9,1\n1,.5,.5\n", "rounding noise"
    ),
    "a web page": Malformed(
        "page.csv", b"<!DOCTYPE html><html>404, sorry</html>", "no label column"
    ),
    "groups that are the labels": Malformed(
        "group.csv",
        GOOD_CSV.encode(),
        "contains the labels and cannot be --group",
        ("--label", "label", "--group", "label"),
    ),
    "weights that are the labels": Malformed(
        "weight.csv", GOOD_CSV.encode(), "cannot be --weight", ("--label", "p_0", "--weight", "p_0")
    ),
    "labels among the probabilities": Malformed(
        "all.csv", GOOD_CSV.encode(), "cannot be --prob", ("--prob", "*")
    ),
}
