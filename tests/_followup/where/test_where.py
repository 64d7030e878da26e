"""where: errors are named, calibrated parts are not, and nothing depends on threads."""

import math
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions
from calibrant._followup.where._label_sets import LabelSetSums
from calibrant._followup.where._pvalues import adjusted_pvalues, evidence
from calibrant._followup.where._tables import with_pvalues
from calibrant.models import Distorted, LogitShift, Swap, TemperatureModel

CALIBRATED = TemperatureModel(0.5, 3)


def by_name(table):
    return {finding.name: finding for finding in table}


def numbers(result):
    return {key: value for key, value in result.to_dict().items() if key != "details"}


def test_two_swapped_classes_are_named():
    model = Distorted(0.3, 5, truth=Swap(1, 3, probability=0.5))
    result = cal.where(*model.sample(400, rng=1), rng=0, n_resamples=199)
    named = {finding.name for finding in result.significant if finding.kind == "class"}
    assert named == {1, 3}
    assert {finding.name for finding in result.classes[:2]} == {1, 3}


def test_a_frequent_class_is_said_to_be_frequent():
    model = Distorted(1.0, 3, truth=LogitShift([1.0, 0.0, 0.0]))
    y, P = model.sample(400, rng=1)
    result = cal.where(y, P, classes=["cat", "dog", "elk"], rng=0, n_resamples=199)
    cat, dog = (by_name(result.classes)[name] for name in ("cat", "dog"))
    assert cat.direction == "predicted too rarely"
    assert dog.direction == "predicted too often"
    assert cat.adjusted_pvalue == 1 / 200
    assert cat.observed == pytest.approx(np.mean(np.asarray(y) == 0))
    assert cat.predicted == pytest.approx(P[:, 0].mean())


def test_the_group_with_another_temperature_is_named(sites):
    y, P, site = sites
    result = cal.where(y, P, groups={"site": site}, rng=0, n_resamples=199)
    table = by_name(result.groups["site"])
    assert [f.name for f in result.significant if f.kind == "group"] == ["C"]
    assert table["C"].direction == "over-confident"
    assert table["C"].predicted > table["C"].observed
    assert result.groups["site"][0].name == "C"
    assert "site 'C': over-confident" in result.summary()


def test_confident_rows_that_are_wrong_make_a_region():
    y, P = TemperatureModel(0.5, 3).sample(500, rng=3)
    y, rng = np.array(y), np.random.default_rng(0)
    high = np.flatnonzero(P.max(axis=1) > 0.8)
    wrong = rng.choice(high, len(high) // 4, replace=False)
    y[wrong] = P[wrong].argmin(axis=1)
    result = cal.where(y, P, rng=0, n_resamples=199)
    first = result.regions[0]
    assert first.adjusted_pvalue <= 0.05
    assert first.direction == "over-confident"
    assert str(first.name).endswith(", 1]")


def test_tables_add_up_to_the_error(sites):
    y, P, site = sites
    result = cal.where(y, P, groups=site, rng=0, n_resamples=19)
    skce = cal.SKCE()(y, P)
    assert result.estimate == pytest.approx(skce, rel=1e-12)
    for table in result.tables.values():
        assert math.fsum(f.contribution for f in table) == pytest.approx(skce, rel=1e-9)
    kernel = cal.SKCE(cal.kernels.Laplacian().resolve(P))
    inside = by_name(result.groups["group"])["C"].estimate
    assert inside == pytest.approx(kernel(y[400:], P[400:]), rel=1e-12)


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(sites, core):
    y, P, site = (array[300:450] for array in sites)
    one, two = (
        cal.where(y, P, groups=site, rng=5, n_resamples=149, n_jobs=n_jobs) for n_jobs in (1, 2)
    )
    assert one.to_dict() == two.to_dict()
    other = cal.where(y, P, groups=site, rng=6, n_resamples=149)
    assert numbers(other) != numbers(one)


def test_pvalues_are_ranked_exact_fractions_and_never_zero(sites):
    y, P, site = sites
    result = cal.where(y, P, groups=site, rng=0, n_resamples=99)
    for finding in result.findings:
        for value in (finding.pvalue, finding.adjusted_pvalue):
            assert value >= 0.01
            assert 100 * value == pytest.approx(round(100 * value))
        assert finding.adjusted_pvalue >= finding.pvalue
    adjusted = [finding.adjusted_pvalue for finding in result.findings]
    assert adjusted == sorted(adjusted)


def test_every_table_has_the_same_part_of_the_level(sites):
    y, P, _ = sites
    result = cal.where(y, P, n_regions=2, rng=0, n_resamples=19)
    tables = [list(result.classes), list(result.regions)]
    draws = np.random.default_rng(0).normal(size=(4, 4, 40))
    sums = LabelSetSums(*draws[:3], draws[3, :2], draws[2, :2], draws[1, :2], draws[0, :2])
    joint = [
        evidence(*draws[:3]) - math.log(4),
        evidence(draws[3, :2], draws[2, :2], draws[1, :2], draws[0, :2]) - math.log(2),
    ]
    found = {f.name: f.adjusted_pvalue for table in with_pvalues(tables, sums) for f in table}
    expected = adjusted_pvalues(np.concatenate(joint))
    assert [found[f.name] for table in tables for f in table] == expected.tolist()


def test_two_classes_are_one_row_of_the_positive_class():
    y, p = TemperatureModel(1.0, 2, temperature=2.0).sample(400, rng=0)
    result = cal.where(y, p, classes=["no", "yes"], groups=np.arange(400) % 2, rng=0)
    (row,) = result.classes
    assert (row.name, row.target) == ("yes", "yes")
    assert row.predicted == pytest.approx(np.asarray(p)[:, 1].mean())
    assert row.contribution == pytest.approx(result.estimate, rel=1e-12)
    assert math.isnan(row.share)
    for table in (result.regions, result.groups["group"]):
        assert {f.target for f in table} == {"yes"}
        rows = sum(f.n_samples * f.observed for f in table)
        assert rows == pytest.approx(np.sum(y))
    ends = sorted(result.regions, key=lambda f: f.predicted)
    assert ends[0].predicted < 0.2  # not folded to max(p, 1 − p)
    assert ends[0].direction == "predicted too rarely"
    assert ends[-1].direction == "predicted too often"
    assert ends[0].title.startswith("P(class yes) in [0, ")


def test_a_two_class_lens_is_asked_about_its_event(sites):
    y, P, _ = sites
    predictions = Predictions(y, P)
    result = cal.where(predictions.top_label(), rng=0, n_resamples=19)
    (row,) = result.classes
    assert row.predicted == pytest.approx(P.max(axis=1).mean())
    assert row.observed == pytest.approx(np.mean(P.argmax(axis=1) == y))


@pytest.mark.parametrize("seed", range(3))
def test_directions_agree_with_what_was_predicted_and_observed(seed):
    y, P = TemperatureModel(0.3, 6, temperature=1.5).sample(900, rng=seed)
    result = cal.where(y, P, groups=np.arange(900) % 5, rng=0, n_resamples=199)
    too_high = {"over-confident", "predicted too often"}
    too_low = {"under-confident", "predicted too rarely"}
    seen = set()
    for view in (result, result.beyond):
        for finding in view.findings:
            seen.add(finding.direction)
            assert finding.direction not in too_high or finding.predicted > finding.observed
            assert finding.direction not in too_low or finding.predicted < finding.observed
    assert {"over-confident", "too extreme"} <= seen


def test_shares_are_those_of_what_stands_out_and_add_up(sites):
    y, P, site = sites
    y, P = y[100:], P[100:]
    result = cal.where(y, P, groups=site[100:], rng=0, n_resamples=199)
    for view in (result, result.beyond):
        for table in view.tables.values():
            shown = [f.share for f in table if not math.isnan(f.share)]
            assert all(share >= 0.0 for share in shown)
            assert not shown or math.fsum(shown) == pytest.approx(1.0)
            assert len(shown) in (0, sum(f.adjusted_pvalue <= 0.05 for f in table))
    assert by_name(result.groups["group"])["C"].share > 0.9


@pytest.mark.slow
def test_two_swapped_classes_have_the_error():
    for seed in range(3):
        model = Distorted(0.3, 10, truth=Swap(1, 3, probability=0.3))
        result = cal.where(*model.sample(2000, rng=seed), rng=0, n_resamples=199)
        table = by_name(result.classes)
        assert table[1].share + table[3].share > 0.9


def test_the_rarest_of_very_many_classes_are_taken_together(limit):
    limit(where_classes=4)
    y, P = TemperatureModel(np.array([4.0, 1, 3, 0.2, 2, 0.1, 0.1]), 7).sample(300, rng=0)
    result = cal.where(y, P, rng=0, n_resamples=19)
    assert {f.name for f in result.classes} == {0, 2, 4, "4 other classes"}
    other = by_name(result.classes)["4 other classes"]
    assert other.predicted == pytest.approx(P[:, [1, 3, 5, 6]].sum(axis=1).mean())
    assert result.notes[0] == (
        "the 4 classes with the smallest mean probability are taken together: at most 4 are "
        "looked at one by one"
    )


@pytest.mark.slow
@pytest.mark.parametrize("partial", [False, True])
def test_false_names_are_as_rare_as_the_level_says(partial):
    # 150 runs at alpha .2: mean 30, standard deviation 4.9; the bounds are 3 of them away.
    # partial: 40 rows have always the least likely label, and the rest must still be safe.
    named, rng = 0, np.random.default_rng(11)
    group = np.repeat(["bad", "good", "fine"], [40, 30, 30])
    for run in range(150):
        y, P = CALIBRATED.sample(100, rng=rng)
        y = np.array(y)
        if partial:
            y[:40] = P[:40].argmin(axis=1)
        result = cal.where(
            y, P, groups=group, n_regions=2, n_resamples=39, alpha=0.2, rng=run, n_jobs=1
        )
        true = [f for f in result.significant if not partial or f.name in ("good", "fine")]
        named += bool(true)
    assert named <= 44
    assert partial or named >= 12


def test_weights_of_zero_leave_rows_aside(sites):
    y, P, site = sites
    keep = np.random.default_rng(0).random(len(y)) < 0.7
    weighted = cal.where(y, P, groups=site, sample_weight=keep.astype(float), rng=0, n_resamples=39)
    dropped = cal.where(y[keep], P[keep], groups=site[keep], rng=0, n_resamples=39)
    # ones as weights are no weights
    assert numbers(weighted) == numbers(dropped)


def test_weights_count_and_their_unit_does_not(sites):
    y, P, site = sites
    w = 0.5 + np.random.default_rng(0).random(len(y))
    plain, one, two = (
        cal.where(y, P, groups=site, sample_weight=weights, rng=0, n_resamples=39)
        for weights in (None, w, 1e3 * w)
    )
    assert one.estimate == pytest.approx(cal.SKCE()(y, P, sample_weight=w), rel=1e-12)
    assert two.estimate == pytest.approx(one.estimate, rel=1e-9)
    pvalues = [[f.pvalue for f in result.findings] for result in (one, two, plain)]
    assert pvalues[0] == pytest.approx(pvalues[1])
    assert pvalues[0] != pvalues[2]


def test_small_and_missing_groups_are_listed_with_a_reason(sites):
    y, P, site = sites
    site = site.astype(object)
    site[:5], site[5:30] = "tiny", None
    table = by_name(cal.where(y, P, groups=site, rng=0, n_resamples=19).groups["group"])
    assert not table["tiny"].tested
    assert math.isnan(table["tiny"].pvalue)
    assert table["tiny"].note == "not tested: 5 rows, fewer than 20"
    assert table["missing"].tested
    assert table["missing"].note == "25 rows without a value"


def test_many_rows_use_landmarks_and_say_so():
    model = Distorted(0.3, 4, truth=Swap(0, 1, probability=0.5))
    result = cal.where(*model.sample(1200, rng=1), rng=0, n_resamples=39)
    assert result.details["variant"] == "landmarks"
    assert {f.name for f in result.significant if f.kind == "class"} == {0, 1}


def test_a_class_that_is_always_certain_is_not_tested():
    P = np.column_stack([np.linspace(0.1, 0.9, 50), np.linspace(0.9, 0.1, 50), np.zeros(50)])
    y = np.arange(50) % 2
    table = by_name(cal.where(y, P, rng=0, n_resamples=19).classes)
    assert table[2].note == "not tested: in every row its probability is 0 or 1"
    assert math.isnan(table[2].pvalue)


def test_impossible_labels_are_reported():
    P = np.tile([[0.5, 0.5, 0.0]], (40, 1))
    y = np.arange(40) % 2
    y[7] = 2
    result = cal.where(y, P, rng=0, n_resamples=19)
    assert result.details["impossible_labels"] == 1
    assert "1 label had predicted probability exactly 0" in result.summary()


@pytest.mark.parametrize("y_prob", [np.full(30, 0.5), np.r_[np.ones(15), np.zeros(15)]])
def test_degenerate_predictions_have_an_answer(y_prob):
    y = (y_prob > 0.7).astype(int)
    y[:2] = [1, 1]
    result = cal.where(y, y_prob, rng=0, n_resamples=19)
    assert all(0 < f.adjusted_pvalue <= 1 for f in result.findings)
    assert result.summary()


def test_two_rows_are_enough():
    result = cal.where([0, 1], [0.3, 0.6], rng=0, n_resamples=19)
    assert [f.tested for f in result.regions] == [False]
    assert len(result.findings) == 1
    assert result.beyond is None


@pytest.mark.slow
def test_predictions_in_place_of_arrays_and_progress(sites):
    y, P, _ = sites
    seen = []
    one = cal.where(
        Predictions(y, P), rng=0, n_resamples=99, progress=lambda *done: seen.append(done)
    )
    assert one.to_dict() == cal.where(y, P, rng=0, n_resamples=99).to_dict()
    done, totals = zip(*seen, strict=True)
    assert (done[0], done[-1]) == (0, totals[0])
    assert list(done) == sorted(set(done))  # never back, never twice
    assert set(totals) == {totals[0]}


def test_another_kernel(sites):
    y, P, _ = sites
    kernel = cal.kernels.Gaussian(0.3)
    result = cal.where(y, P, kernel=kernel, rng=0, n_resamples=19)
    assert result.estimate == pytest.approx(cal.SKCE(kernel)(y, P), rel=1e-12)
    assert result.details["kernel"] == str(kernel)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_regions": 0}, "`n_regions` must be an integer of 1 or more; got 0"),
        ({"n_regions": 2.5}, "`n_regions` must be an integer of 1 or more; got 2.5"),
        ({"min_size": 1}, "`min_size` must be an integer of 2 or more; got 1"),
        ({"n_resamples": 0}, "`n_resamples` must be a positive integer; got 0"),
        ({"n_resamples": 18}, "`n_resamples` must be at least 19 for alpha = 0.05"),
        ({"alpha": 5}, r"`alpha` must be in \(0, 1\), the probability of a false name"),
        ({"kernel": cal.kernels.Classwise(cal.kernels.Laplacian(0.2))}, "`kernel` must be scalar"),
        ({"groups": [1]}, "one value for each of the 23 rows; got 1"),
        ({"rng": -1}, "`rng` must be"),
    ],
)
def test_refusals(ternary, options, message):
    with pytest.raises(ValueError, match=message):
        cal.where(ternary.y, ternary.P, **options)


def test_one_row_is_refused():
    with pytest.raises(ValueError, match="`where` needs at least 2 rows; got 1"):
        cal.where([1], [0.5])


@pytest.mark.slow
def test_many_classes_are_looked_at_through_landmarks():
    y, p = cal.models.M1(900).sample(300, rng=0)
    found = cal.where(y, p, n_resamples=19, rng=0)
    assert found.details["variant"] == "landmarks"
    assert cal.where(y[:200], p[:200], n_resamples=19, rng=0).details["variant"] == "full"


def test_an_executor_changes_no_bit():
    data = cal.Predictions(*cal.models.M2(3).sample(120, rng=0))
    options = {"n_resamples": 79, "groups": np.arange(120) % 2, "rng": 0}
    expected = cal.where(data, **options).to_dict()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as processes:
        assert cal.where(data, executor=processes, **options).to_dict() == expected
