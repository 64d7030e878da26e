"""A format of files is one row: it is recognized, opened, named and listed by what the row says."""

from dataclasses import replace

import numpy as np
import pytest
from tests.io.legal import TEXT, P, Y

from calibrant.cli.commands.info import _find
from calibrant.io import FORMATS, _formats, read_predictions
from calibrant.io._csv import CsvTable
from calibrant.io._options import ReadOptions


@pytest.fixture
def columns_format(monkeypatch):
    """A format that does not exist: a magic word, then the text of a CSV file."""

    def opened(source, options):
        rest = source.path.with_suffix(".csv")
        rest.write_bytes(source.path.read_bytes().removeprefix(b"COLUMNS"))
        return CsvTable(replace(source, path=rest), options)

    row = _formats.FileFormat("columns", "Columns", opened, (b"COLUMNS",), (".col",))
    monkeypatch.setitem(FORMATS, "columns", row)


def test_a_new_row_is_all_that_a_format_needs(columns_format, tmp_path):
    (tmp_path / "preds.col").write_text("COLUMNS" + TEXT)
    predictions = read_predictions(str(tmp_path / "preds.col")).predictions
    assert np.array_equal(predictions.y_prob, P)
    assert np.array_equal(predictions.y_true, Y)


def test_the_command_line_lists_every_format(columns_format):
    assert set(_find().formats) == set(FORMATS) > {"csv", "json", "npy", "columns"}


def test_a_name_that_promises_a_format_is_held_to_it(columns_format, tmp_path):
    (tmp_path / "preds.col").write_text("label,p_a,p_b\na,0.5,0.5\n")
    with pytest.raises(ValueError, match="the name says columns, but the file does not begin"):
        read_predictions(str(tmp_path / "preds.col"))


def test_no_two_formats_begin_alike():
    magic = [word for row in FORMATS.values() for word in row.magic]
    assert not [(a, b) for a in magic for b in magic if a is not b and a.startswith(b)]


def test_options_about_values_leave_out_only_the_names_of_columns():
    about = ReadOptions(prob="p_*", percent=True, ordered=True).about_values()
    assert about.items() >= {"percent": True, "ordered": True, "delimiter": None}.items()
    assert "prob" not in about
