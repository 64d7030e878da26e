"""Labels that depend only on seed, stream, row and replicate."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from calibrant import Predictions, _native
from calibrant._engine._coupled_sets import CoupledResampler
from calibrant._engine._random import as_generator
from calibrant._engine._resampling import LabelResampler, labels_below, philox4x32

NATIVE = pytest.mark.skipif(_native._core is None, reason="the native core is not built")
CORES = ["numpy", pytest.param("native", marks=NATIVE)]

# kat_vectors of Random123 (Salmon et al. 2011), philox 4x32-10: counter, key, words
KNOWN = [
    ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.fixture(params=CORES)
def core(request):
    with _native.using(request.param):
        yield request.param


def dirichlet(n, m, seed=0, alpha=0.5):
    p = np.random.default_rng(seed).dirichlet(np.full(m, alpha), n)
    p.setflags(write=False)
    return p


def literal_labels(y_prob, uniforms):
    """#{c < m−1 : p_0 + … + p_c ≤ u·Σp}, sums taken one by one."""
    labels = np.empty(uniforms.shape, dtype=int)
    for r, i in np.ndindex(uniforms.shape):
        sums = [0.0]
        for p in y_prob[i]:
            sums.append(sums[-1] + p)
        labels[r, i] = sum(s <= uniforms[r, i] * sums[-1] for s in sums[1:-1])
    return labels


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_philox_has_the_known_answers(counter, key, words):
    assert tuple(int(w) for w in philox4x32(counter, key[0] | key[1] << 32)) == words


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_uniforms_are_53_bits_of_the_known_answers(core, counter, key, words):
    row, pair = counter[0] | counter[1] << 32, counter[2]
    resampler = LabelResampler(key[0] | key[1] << 32, stream=counter[3])
    u = resampler.uniforms(range(row, row + 1), range(2 * pair, 2 * pair + 2))
    expected = [((w >> 5 << 26) + (v >> 6)) / 2**53 for w, v in (words[:2], words[2:])]
    assert u.tolist() == [[expected[0]], [expected[1]]]


@NATIVE
@settings(deadline=None)
@given(
    seed=st.integers(0, 2**64 - 1),
    stream=st.integers(0, 2**32 - 1),
    row=st.integers(0, 2**64 - 200),
    replicate=st.integers(0, 2**33 - 8),
)
def test_native_and_numpy_uniforms_have_the_same_bits(seed, stream, row, replicate):
    resampler = LabelResampler(seed, stream)
    rows, replicates = range(row, row + 130), range(replicate, replicate + 7)
    with _native.using("numpy"):
        twin = resampler.uniforms(rows, replicates)
    with _native.using("native"):
        assert np.array_equal(resampler.uniforms(rows, replicates), twin)


@NATIVE
@pytest.mark.parametrize("m", [1, 2, 3, 10, 31, 32, 33, 34, 64, 65, 256, 257, 1000])
@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200])
def test_native_and_numpy_labels_are_the_same(n, m):
    y_prob = dirichlet(n, m, alpha=0.3)
    resampler = LabelResampler(7, stream=3)
    with _native.using("numpy"):
        twin = resampler.labels(y_prob, range(3, 12), first_row=2**32 - 50)
    with _native.using("native"):
        labels = resampler.labels(y_prob, range(3, 12), first_row=2**32 - 50)
    assert labels.dtype == twin.dtype
    assert np.array_equal(labels, twin)


@pytest.mark.parametrize("m", [1, 2, 7, 32, 33, 40])
def test_labels_are_the_literal_inverse_distribution_function(core, m):
    y_prob = dirichlet(70, m) * np.linspace(0.5, 2.0, 70)[:, None]
    resampler = LabelResampler(11)
    labels = resampler.labels(y_prob, (1, 6), first_row=5)
    expected = literal_labels(y_prob, resampler.uniforms(range(5, 75), (1, 6)))
    assert np.array_equal(labels, expected)


@pytest.mark.parametrize(("m", "dtype"), [(2, "u1"), (256, "u1"), (257, "u2"), (65537, "u4")])
def test_labels_have_the_smallest_type_and_reach_the_last_class(core, m, dtype):
    y_prob = np.zeros((3, m))
    y_prob[:, -1] = 1.0
    labels = LabelResampler(0).labels(y_prob, range(2))
    assert labels.dtype == np.dtype(dtype)
    assert (labels == m - 1).all()


@settings(deadline=None)
@given(data=st.data())
def test_any_part_has_the_labels_of_the_whole(data):
    y_prob = dirichlet(150, 4)
    resampler = LabelResampler(3, stream=1)
    whole = resampler.labels(y_prob, range(20))
    i, j = sorted(data.draw(st.tuples(st.integers(0, 150), st.integers(0, 150))))
    r, s = sorted(data.draw(st.tuples(st.integers(0, 20), st.integers(0, 20))))
    for core in ["numpy"] + ["native"] * (_native._core is not None):
        with _native.using(core):
            part = resampler.labels(y_prob[i:j], range(r, s), first_row=i)
        assert np.array_equal(part, whole[r:s, i:j])


def test_numpy_chunks_do_not_show(limit):
    y_prob = dirichlet(50, 5)
    with _native.using("numpy"):
        whole = LabelResampler(3).labels(y_prob, range(1, 40))
        limit(drawn_numbers=30)
        assert np.array_equal(LabelResampler(3).labels(y_prob, range(1, 40)), whole)


@pytest.mark.parametrize(("n", "m"), [(50_000, 3), (100, 1000)])
def test_the_twin_needs_little_more_memory_than_the_labels(n, m):
    y_prob = dirichlet(n, m)
    tracemalloc.start()
    try:
        with _native.using("numpy"):
            labels = LabelResampler(1).labels(y_prob, range(20))
        extra = tracemalloc.get_traced_memory()[1] - labels.nbytes
    finally:
        tracemalloc.stop()
    assert extra < 3e6


@pytest.mark.parametrize("m", [2, 3, 40, 300])
@pytest.mark.parametrize("kind", [LabelResampler, CoupledResampler])
def test_labels_sample_by_sample_are_those_set_by_set(core, m, kind):
    p = dirichlet(130, m)
    rows = Predictions(np.zeros(130, int), p, classes=range(m), clusters=np.arange(130) // 10)
    resampler = kind(7, coupling=0.5) if kind is CoupledResampler else kind(7)
    labels = resampler.draw(rows, range(3, 12), first_row=5)
    codes = np.full((130, 16), 9, labels.dtype)
    resampler.fill_codes(rows, range(3, 12), codes, 4, first_row=5)
    np.testing.assert_array_equal(codes[:, 4:13], labels.T)
    assert (codes[:, :4] == 9).all()
    assert (codes[:, 13:] == 9).all()


@pytest.mark.parametrize("kind", [LabelResampler, CoupledResampler])
@pytest.mark.parametrize("n", [1, 64, 200])
def test_counts_of_events_are_those_of_the_labels(core, n, kind):
    views = [
        Predictions(np.zeros(n, int), dirichlet(n, 2, seed), classes=range(2), clusters=clusters)
        for seed, clusters in enumerate([np.arange(n) // 2] * 3)
    ]
    ids = np.random.default_rng(1).integers(4, size=(3, n))
    resampler = kind(7, coupling=0.5) if kind is CoupledResampler else kind(7)
    counts = resampler.event_counts(views, ids, 5, range(3, 8))
    for found, view, own in zip(counts, views, ids, strict=True):
        for count, labels in zip(found, resampler.draw(view, range(3, 8)), strict=True):
            expected = [sum(labels[i] for i in range(n) if own[i] == k) for k in range(5)]
            assert count.tolist() == expected


@pytest.mark.parametrize("m", [2, 40])
def test_a_threshold_that_is_hit_exactly_is_passed(core, m):
    resampler = LabelResampler(8)
    u = resampler.uniforms(range(100), range(1))[0]
    y_prob = np.zeros((100, m))
    y_prob[:, 0], y_prob[:, 1] = u, 1 - u  # multiples of 2⁻⁵³: the sum is exactly 1
    assert (resampler.labels(y_prob, range(1)) == 1).all()


def test_a_class_of_probability_zero_is_never_drawn(core):
    y_prob = dirichlet(64, 40).copy()
    y_prob[:, [0, 1, 17, 38, 39]] = 0.0
    for m in (5, 40):  # counted thresholds, bisected thresholds
        p = y_prob[:, -m:]
        labels = LabelResampler(5).labels(p, range(2000))
        assert (p[np.arange(64), labels] > 0).all()


def test_the_largest_uniform_does_not_reach_an_empty_last_class():
    # totals next to a power of two are where u·Σp could round up to Σp
    totals = np.concatenate([1 + np.arange(64) * 2.0**-52, 2 - np.arange(64) * 2.0**-52])
    cumulated = np.column_stack([np.zeros(128), totals, totals])
    assert (labels_below(cumulated, np.full((1, 128), 1 - 2.0**-53)) == 1).all()
    assert (labels_below(cumulated, np.zeros((1, 128))) == 1).all()


def test_frequencies_follow_the_predictions(core):
    y_prob = dirichlet(6, 5, alpha=2.0)
    labels = LabelResampler(2).labels(y_prob, range(40_000))
    counts = np.stack([np.bincount(labels[:, i], minlength=5) for i in range(6)])
    expected = 40_000 * y_prob / y_prob.sum(axis=1, keepdims=True)
    statistic = ((counts - expected) ** 2 / expected).sum()
    assert 1e-4 < stats.chi2.sf(statistic, df=6 * 4) < 1 - 1e-4


def test_uniforms_are_uniform_and_independent_over_rows_replicates_and_streams(core):
    u = LabelResampler(9).uniforms(range(400), range(500))
    assert stats.kstest(u.ravel(), "uniform").pvalue > 1e-4
    other = LabelResampler(9, stream=1).uniforms(range(400), range(500))
    # a correlation of 2·10⁵ independent pairs has standard error 1/√(2·10⁵)
    for a, b in [(u[:, 1:], u[:, :-1]), (u[1:], u[:-1]), (u, other), (u[1:, 1:], u[:-1, :-1])]:
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 4.5 / np.sqrt(a.size)
    # neighbors fill a 10 × 10 table evenly: replicates share one Philox block in pairs
    for a, b in [(u[0::2], u[1::2]), (u[1:-1:2], u[2::2]), (u[:, 0::2], u[:, 1::2])]:
        cells = np.histogram2d(a.ravel(), b.ravel(), bins=10, range=[[0, 1]] * 2)[0]
        assert stats.chisquare(cells.ravel()).pvalue > 1e-4


def test_replicates_rows_seeds_and_streams_differ():
    base = LabelResampler(1).uniforms(range(8), range(8))
    assert len(np.unique(base)) == 64
    assert not np.isin(LabelResampler(2).uniforms(range(8), range(8)), base).any()
    assert not np.isin(LabelResampler(1, 1).uniforms(range(8), range(8)), base).any()
    assert not np.isin(LabelResampler(1).uniforms(range(2**32, 2**32 + 8), range(8)), base).any()


def test_a_generator_gives_one_seed():
    rng, twin = np.random.default_rng(4), np.random.default_rng(4)
    resampler = LabelResampler.from_rng(rng, stream=2)
    assert resampler == LabelResampler(int(twin.integers(2**64, dtype=np.uint64)), 2)
    assert rng.random() == twin.random()


def test_predictions_may_be_read_only_strided_or_single_precision(core):
    y_prob = dirichlet(20, 6).astype(np.float32)
    resampler = LabelResampler(1)
    expected = resampler.labels(y_prob.astype(np.float64), range(4))
    assert np.array_equal(resampler.labels(y_prob, range(4)), expected)
    assert np.array_equal(resampler.labels(np.asfortranarray(y_prob), range(4)), expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LabelResampler(-1), r"`seed` must be in \[0, 2\*\*64\); got -1"),
        (lambda: LabelResampler(2**64), r"`seed` must be in"),
        (lambda: LabelResampler(0, stream=2**32), r"`stream` must be in \[0, 2\*\*32\)"),
        (lambda: LabelResampler(0.5), r"`seed` must be an integer; got 0.5"),
        (lambda: LabelResampler(0).labels(np.ones(3), range(1)), r"`y_prob` must have shape"),
        (
            lambda: LabelResampler(0).labels(np.ones((1, 2)), range(0, 4, 2)),
            r"`replicates` must be consecutive",
        ),
        (
            lambda: LabelResampler(0).labels(np.ones((1, 2)), (0, 2**33 + 1)),
            r"inside \[0, 2\*\*33\]",
        ),
        (
            lambda: LabelResampler(0).labels(np.ones((1, 2)), (0, 1), first_row=-1),
            r"`rows` must be consecutive and inside",
        ),
    ],
)
def test_wrong_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("seed", [5, np.int64(5), [5], np.random.SeedSequence(5)])
def test_the_same_seed_starts_the_same_stream(seed):
    assert as_generator(seed).random() == np.random.default_rng(5).random()


def test_a_generator_is_continued_and_none_is_fresh():
    rng = np.random.default_rng(0)
    assert as_generator(rng) is rng
    assert as_generator(np.random.PCG64(5)).random() == np.random.default_rng(5).random()
    assert as_generator().random() != as_generator(None).random()


@pytest.mark.parametrize("bad", [-1, np.int64(-1), True, 0.5, "0", np.random.RandomState(0)])
def test_other_sources_of_randomness_are_refused(bad):
    with pytest.raises(ValueError, match=r"`rng` must be None, a non-negative .*default_rng"):
        as_generator(bad)
