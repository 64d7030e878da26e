"""The fast reader of text files agrees with the careful one, or gives up."""

import gzip
import random

import numpy as np
import pytest

from calibrant._execution import Limits
from calibrant.io import InputError, _csv, read_predictions
from calibrant.io._options import ReadOptions
from calibrant.io._source import open_source
from calibrant.io._table import Request

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

WANTED = Request({"probabilities": ("p_a", "p_b")}, (), ("label",))
HEADERS = [
    *('label,p_a,p_b,"note"', "\n\nlabel,p_a,p_b,note"),
    *('label,p_a,p_b,"a ""note"""', 'label, "p_a",p_b,note', 'label,p_a,p_b,"a\nnote"'),
]
NUMBERS = ["0.5", "0.25", "1e-3", " 0.5 ", '"0.5"', "nan", "1e400", ".5", "-0", "0.5\t"]
ODD_NUMBERS = ["", '""', "+1", "0x1", "1_0", '"0.5', "0,5", "infinity", "\u0661", "1.e", "1e"]
TEXTS = ["a", "b", " a", '"a"', "", '""', "# a", "ä", "\ufeff", '"a, b"', "\\", "'a", "null", "NA"]
ODD_TEXTS = [
    *('"', '"a', 'a"', 'a "b" c', '""a', '"a"b', '"a""b"', '"""', '""""', ' "a"', '"a" '),
    *('"a\nb"', '"a\n', '\n"', "a\rb", "\\,", '\\"', '\\"a\\"', '\ufeff"a"'),
    *("\0", "\x1a", "\x0b", "\x85", "\u2028"),
]
ODD_LINES = ["", " ", ",", ",,,", '""', '"', "# a comment", "a,0.5,0.5", "a,1,0,b,", '"a\r\n",1,0,']


def random_file(choose: random.Random) -> bytes:
    """Return a table of a label, two numbers and a note, with at most a few oddities."""
    odd = choose.choice([0.0, 0.005, 0.05])

    def one_of(usual, unusual):
        return choose.choice(unusual if choose.random() < odd else usual)

    def row():
        texts = [one_of(TEXTS, ODD_TEXTS) for _ in range(2)]
        numbers = [one_of(NUMBERS, ODD_NUMBERS) for _ in range(2)]
        return ",".join([texts[0], *numbers, texts[1]])

    header = one_of(HEADERS[:2], HEADERS)
    lines = [header, *(one_of([row()], ODD_LINES) for _ in range(choose.randrange(60)))]
    end = choose.choice(["\n", "\n", "\r\n", "\r", "\n\n", "\n\r"])
    text = end.join(lines) + choose.choice(["", end])
    content = text.encode(choose.choice(["utf-8", "utf-8-sig"]))
    return content.replace(b"a", b"\xe4", 1) if choose.random() < odd else content


def read_both_ways(path):
    """Return the rows of the fast reader and those of the careful one; None where it refuses."""
    with open_source(str(path)) as source:
        dialect = _csv.CsvTable(source, ReadOptions(header=True))._dialect
        fast = _csv._read_fast(source, dialect, WANTED, None)
        try:
            careful = _csv._read_carefully(source, dialect, WANTED, None)
        except InputError:
            careful = None
    return fast, careful


def test_the_fast_reader_agrees_or_declines(tmp_path, limit):
    choose, used, path = random.Random(0), 0, tmp_path / "x.csv"
    for k in range(400):
        content = random_file(choose)
        path.write_bytes(gzip.compress(content, 1) if k % 7 == 0 else content)
        # several blocks a file, cut at any byte
        limit(csv_bytes=choose.randrange(60, 400))
        try:
            fast, careful = read_both_ways(path)
        except InputError:
            continue  # the header says nothing of p_a
        if fast is None:
            continue
        used += 1
        assert careful is not None, content
        ours, theirs = (found.texts["label"].objects().tolist() for found in (fast, careful))
        assert ours == theirs, content
        ours, theirs = (found.matrices["probabilities"] for found in (fast, careful))
        np.testing.assert_array_equal(ours, theirs)
    assert used > 100


def rows_with_notes(notes, n=400):
    """Return a table of `n` rows with a column that nobody needs, and some notes in it."""
    return "label,p_a,p_b,note\n" + "".join(
        f"{'ab'[i % 2]},0.25,0.75,{notes.get(i, 'none')}\n" for i in range(n)
    )


@pytest.mark.parametrize(
    ("notes", "line"),
    [
        ({20: '"12 inch screen', 380: '"15 inch screen'}, 382),
        ({20: '"12 inch screen'}, 401),
        ({399: '"12 inch screen'}, 401),
    ],
)
@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_a_stray_quote_never_swallows_rows(tmp_path, notes, line, pack):
    path = tmp_path / "x.csv"
    path.write_bytes(pack(rows_with_notes(notes)))
    with pytest.raises(InputError, match=f"x.csv: line {line} is not well-formed"):
        read_predictions(str(path))


def test_a_stray_quote_after_many_rows_is_found(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(rows_with_notes({99_000: '"12 inch screen'}, n=100_000))
    assert path.stat().st_size > Limits.csv_bytes
    with pytest.raises(InputError, match="line 100001 is not well-formed"):
        read_predictions(str(path))


@pytest.mark.parametrize("note", ['12" screen', '"12"" screen"', '"12\n"', '"a,b"', ' "a,b"'])
def test_other_quotes_cost_no_rows(tmp_path, note):
    path = tmp_path / "x.csv"
    path.write_text(rows_with_notes({20: note, 380: note}))
    assert len(read_predictions(str(path)).predictions) == 400


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_quotes_around_whole_cells_are_read_fast(tmp_path, limit, mark):
    path = tmp_path / "x.csv"
    path.write_bytes(mark + b'"label","p_a","p_b"\r\n"a, b","0.25",0.75\r\n"",0.5,"0.5"\r\n')
    limit(csv_bytes=30)
    fast, careful = read_both_ways(path)
    for found in (fast, careful):
        assert found.texts["label"].objects().tolist() == ["a, b", None]
        assert found.matrices["probabilities"].tolist() == [[0.25, 0.75], [0.5, 0.5]]


def test_cells_cut_at_blanks_mean_the_same_to_both_readers(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("label note p_a p_b\na  0.25 0.75\n")
    with pytest.raises(InputError, match="line 2 must have 4 cells like the header; got 3"):
        read_predictions(str(path), delimiter=" ")
