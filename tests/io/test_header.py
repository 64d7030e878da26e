"""Files without a header line, as the predictions of the paper's networks are."""

import pytest

from calibrant.io import InputError, read_predictions


@pytest.fixture
def files(tmp_path):
    (tmp_path / "p.csv").write_text("0.25,0.75\n0.5,0.5\n1,0\n")
    (tmp_path / "y.csv").write_text("2\n1\n1\n")
    return {"path": str(tmp_path / "p.csv"), "labels": str(tmp_path / "y.csv")}


@pytest.mark.parametrize("header", [False, None])
def test_the_first_line_is_data(files, header):
    file = read_predictions(**files, one_based=True, header=header)
    assert file.predictions.y_prob.tolist() == [[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]]
    assert file.predictions.y_true.tolist() == [1, 0, 0]
    assert file.understood.probability_columns == ("0", "1")


def test_a_header_can_be_demanded(files):
    with pytest.raises(InputError, match="looks like data"):
        read_predictions(**files, one_based=True, header=True)


def test_the_label_column_must_be_said_where_columns_have_no_names(tmp_path):
    (tmp_path / "a.csv").write_text("0.25,0.75,1\n0.5,0.5,0\n")
    with pytest.raises(InputError, match=r"looks like data.*`label='2'`"):
        read_predictions(str(tmp_path / "a.csv"))
    file = read_predictions(str(tmp_path / "a.csv"), label="2")
    assert file.predictions.y_true.tolist() == [1, 0]
    assert file.predictions.classes == (0, 1)


def test_a_header_is_recognized(files, tmp_path):
    (tmp_path / "p.csv").write_text("p_1,p_2\n0.25,0.75\n0.5,0.5\n1,0\n")
    file = read_predictions(**files, header=None)
    assert file.predictions.n_samples == 3
    assert file.understood.probability_columns == ("p_1", "p_2")


def test_the_careful_reader_keeps_the_first_line_too(files, tmp_path):
    # quotes after blanks are read by the standard library
    (tmp_path / "p.csv").write_text('0.25, "0.75"\n0.5,0.5\n1,0\n')
    file = read_predictions(**files, one_based=True, header=None)
    assert file.predictions.y_prob.tolist() == [[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]]


def test_lines_are_counted_from_the_first(files, tmp_path):
    (tmp_path / "p.csv").write_text("0.25,0.75\n0.5,x\n1,0\n")
    with pytest.raises(InputError, match=r"line 2, column '1' must be a number; got 'x'"):
        read_predictions(**files, one_based=True, header=False)
