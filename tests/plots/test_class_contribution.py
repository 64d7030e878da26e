"""Contributions: the parts that `where` found, ranked by evidence."""

import numpy as np
import pytest

import calibrant as cal
from calibrant.models import Distorted, Swap
from calibrant.plots import ClassContributionDisplay


@pytest.fixture(scope="module")
def result():
    model = Distorted(0.3, 5, truth=Swap(1, 3, probability=0.5))
    y, P = model.sample(300, rng=0)
    return cal.where(y, P, groups={"site": np.arange(300) % 2}, n_resamples=99, rng=0)


@pytest.mark.parametrize("table", ["classes", "regions", "site"])
def test_marks_are_the_contributions_of_the_result(result, table):
    display = ClassContributionDisplay.from_result(result, table)
    findings = {"classes": result.classes, "regions": result.regions, **result.groups}[table]
    drawing = display.plot()
    marks = np.concatenate(
        [drawing.artists[k].get_xydata() for k in ("significant", "others") if k in drawing.artists]
    )
    marks = marks[np.argsort(marks[:, 1])]
    by_name = {str(f.name): f.contribution for f in findings}
    names = [label.get_text() for label in drawing.ax.get_yticklabels()]
    assert marks[:, 0].tolist() == [by_name[name] for name in names]
    assert set(names) == set(by_name)
    stands = {str(f.name) for f in findings if f.adjusted_pvalue <= result.alpha}
    count = len(drawing.artists["significant"].get_xydata()) if stands else 0
    assert count == len(stands)


def test_what_stands_out_is_named_with_its_direction(result):
    display = ClassContributionDisplay.from_result(result)
    named = [f for f in result.classes if f.adjusted_pvalue <= result.alpha]
    assert {f.name for f in named} == {1, 3}
    assert "2 of 5 classes stand out" in display.describe()
    written = {text.get_text() for text in display.plot().ax.texts}
    assert written == {f.direction for f in named if f.direction}


def test_predictions_are_asked_as_where_would(result):
    predictions = result.source.predictions
    display = ClassContributionDisplay.from_predictions(predictions, n_resamples=99, rng=0)
    assert display.names == tuple(f.name for f in cal.where(predictions, n_resamples=99,
                                                            rng=0).classes)  # fmt: skip


def test_of_many_parts_the_first_are_shown():
    k = 1000
    display = ClassContributionDisplay(
        tuple(range(k)), np.arange(k) / k, np.where(np.arange(k) < 3, 0.01, np.nan), max_shown=7
    )
    labels = [label.get_text() for label in display.plot().ax.get_yticklabels()]
    assert labels == ["2", "1", "0", "999", "998", "997", "996"]
    assert len(display.table()["contribution"]) == k
    assert display.title.endswith("7 of 1,000 classes")


def test_plain_arrays_need_neither_p_values_nor_directions():
    display = ClassContributionDisplay(("a", "b"), [0.0, -1.0])
    assert display.describe() == "None of 2 classes stands out at alpha = 0.05."
    assert display.table()["adjusted_pvalue"] == [None, None]
    assert not display.contribution.flags.writeable
    display.plot()


def test_what_makes_no_sense_is_refused(result):
    with pytest.raises(ValueError, match=r"`contribution` must have one entry for each of the 2"):
        ClassContributionDisplay(("a", "b"), [1.0])
    with pytest.raises(ValueError, match=r"`contribution` .* there must be some"):
        ClassContributionDisplay((), [])
    with pytest.raises(ValueError, match="`direction` must have one entry"):
        ClassContributionDisplay(("a", "b"), [1.0, 2.0], direction=("x",))
    with pytest.raises(ValueError, match=r"`table` must be one of .*'site'"):
        ClassContributionDisplay.from_result(result, "sites")
