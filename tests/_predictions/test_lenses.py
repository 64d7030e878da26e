import numpy as np
import pytest
from hypothesis import given, strategies as st

from calibrant import _native
from calibrant._predictions import Predictions

P = np.array([[0.5, 0.2, 0.3], [0.25, 0.5, 0.25], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
PETS = Predictions(
    ["dog", "cat", "car", "dog"], P, classes=["car", "cat", "dog"], sample_weight=[1, 2, 3, 4]
)


def random_predictions(n, m, seed, ties=False):
    rng = np.random.default_rng(seed)
    y_prob = rng.multinomial(4, np.ones(m) / m, n) / 4 if ties else rng.dirichlet(np.ones(m), n)
    return Predictions(rng.integers(m, size=n), y_prob, sample_weight=rng.random(n) + 0.1)


any_predictions = st.builds(
    random_predictions, st.integers(1, 11), st.integers(2, 7), st.integers(0, 2**32), st.booleans()
)


def loop(predictions, groups, q):
    """The definition of a lens, as loops."""
    table = np.zeros((predictions.n_samples, q))
    for i, row in enumerate(predictions.y_prob):
        for c, p in enumerate(row):
            table[i, groups[i][c]] += p
    return [groups[i][c] for i, c in enumerate(predictions.y_true)], table


@given(any_predictions, st.integers(0, 2**32))
def test_a_lens_adds_probabilities_and_carries_labels_and_weights(predictions, seed):
    groups = np.random.default_rng(seed).integers(3, size=predictions.y_prob.shape)
    seen = predictions.lens(lambda probs: groups, classes=["a", "b", "c"])
    codes, table = loop(predictions, groups, 3)
    assert seen.y_true.tolist() == codes
    assert seen.y_prob.tobytes() == table.tobytes()
    assert np.array_equal(seen.weights, predictions.weights)
    assert seen.classes == ("a", "b", "c")
    np.testing.assert_allclose(
        seen.y_prob.sum(axis=1), predictions.y_prob.sum(axis=1), rtol=0, atol=1e-15
    )


@given(any_predictions)
def test_top_label_is_top_k_of_one(predictions):
    top, top_k = predictions.top_label(), predictions.top_k(1)
    assert top.y_prob.tobytes() == top_k.y_prob.tobytes()
    assert np.array_equal(top.y_true, top_k.y_true)
    assert (top.classes, top_k.classes) == (("other", "top"), ("other", "top 1"))


@given(any_predictions)
def test_top_label_holds_the_largest_probability_bit_by_bit(predictions):
    top = predictions.top_label()
    assert np.array_equal(top.y_prob[:, 1], predictions.y_prob.max(axis=1))
    assert np.array_equal(top.y_true, predictions.y_true == predictions.y_prob.argmax(axis=1))


@given(any_predictions, st.data())
def test_a_class_against_the_rest_has_the_same_bits_with_both_cores(predictions, data):
    c = data.draw(st.integers(0, predictions.n_classes - 1))
    for ask in (lambda rows: rows.top_label(), lambda rows: rows.one_vs_rest(c)):
        with _native.using("native"):
            native = ask(predictions).y_prob
        with _native.using("numpy"):
            assert ask(predictions).y_prob.tobytes() == native.tobytes()


@given(any_predictions, st.data())
def test_top_k_holds_the_largest_probabilities_in_order(predictions, data):
    k = data.draw(st.integers(1, predictions.n_classes - 1))
    top = predictions.top_k(k)
    largest = np.sort(predictions.y_prob, axis=1)[:, ::-1]
    assert np.array_equal(top.y_prob[:, 1:], largest[:, :k])
    np.testing.assert_allclose(top.y_prob[:, 0], largest[:, k:].sum(axis=1), rtol=0, atol=1e-15)
    assert top.classes == ("other", *(f"top {rank}" for rank in range(1, k + 1)))


def test_of_equal_probabilities_the_first_class_is_on_top():
    tied = Predictions([0, 1, 2], np.array([[0.4, 0.4, 0.2]] * 3))
    assert tied.top_label().y_true.tolist() == [1, 0, 0]
    assert tied.top_k(2).y_true.tolist() == [1, 2, 0]


@given(any_predictions, st.data())
def test_one_vs_rest_is_a_lens_bit_by_bit(predictions, data):
    c = data.draw(st.integers(0, predictions.n_classes - 1))
    seen = predictions.one_vs_rest(c)
    groups = np.broadcast_to(np.arange(predictions.n_classes) == c, predictions.y_prob.shape)
    codes, table = loop(predictions, groups.astype(int), 2)
    assert seen.y_true.tolist() == codes
    assert seen.y_prob.tobytes() == table.tobytes()


def test_one_vs_rest_keeps_the_bits_of_its_class():
    cat = PETS.one_vs_rest("cat")
    assert cat.classes == ("rest", "cat")
    assert cat.y_prob[:, 1].tobytes() == P[:, 1].tobytes()
    np.testing.assert_allclose(cat.y_prob[:, 0], 1 - P[:, 1], rtol=1e-15)
    assert cat.y_true.tolist() == [0, 1, 0, 0]
    assert cat.weights.tolist() == [1, 2, 3, 4]


def test_one_vs_rest_of_a_class_named_rest_has_two_names():
    named = Predictions([0], [0.5], classes=["work", "rest"])
    assert named.one_vs_rest("rest").classes == ("not rest", "rest")


def test_one_vs_rest_of_the_second_of_two_classes_changes_nothing():
    binary = Predictions([0, 1], [0.3, 0.7])
    assert binary.one_vs_rest(1).y_prob.tobytes() == binary.y_prob.tobytes()
    assert np.array_equal(binary.one_vs_rest(1).y_true, binary.y_true)


def test_at_least_adds_the_classes_from_the_threshold_on():
    grades = Predictions([0, 1, 2, 2], P, classes=["low", "mid", "high"])
    mid = grades.at_least("mid")
    assert mid.classes == ("< mid", ">= mid")
    assert mid.y_true.tolist() == [0, 1, 1, 1]
    assert np.array_equal(mid.y_prob, np.column_stack([P[:, 0], P[:, 1] + P[:, 2]]))


def test_at_least_the_first_class_is_refused():
    with pytest.raises(
        ValueError, match="needs a class above the first; got 'car', which every row"
    ):
        PETS.at_least("car")


def test_merged_classes_come_where_their_first_member_was():
    merged = PETS.merge_classes({"thing": ["dog", "car"]})
    assert merged.classes == ("thing", "cat")
    assert np.array_equal(merged.y_prob, np.column_stack([P[:, 0] + P[:, 2], P[:, 1]]))
    assert merged.y_true.tolist() == [0, 1, 0, 0]
    assert PETS.merge_classes({"animal": ["dog", "cat"]}).classes == ("car", "animal")


def test_a_merged_class_may_keep_the_name_of_a_member():
    assert PETS.merge_classes({"cat": ["cat", "dog"]}).classes == ("car", "cat")


def test_merging_nothing_changes_nothing():
    assert PETS.merge_classes({}).y_prob.tobytes() == PETS.y_prob.tobytes()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"x": ["cow"]}, "class must be one of 'car', 'cat', 'dog'; got 'cow'"),
        ({"x": ["cat"], "y": ["cat"]}, "must mention a class once; got 'cat' twice"),
        ({"x": ["cat", "cat"]}, "must mention a class once; got 'cat' twice"),
        ({"car": ["cat", "dog"]}, "needs new names; got 'car', the name of a class that stays"),
        ({"x": "cat"}, "needs a list of at least one class for 'x'; got 'cat'"),
        ({"x": []}, r"needs a list of at least one class for 'x'; got \[\]"),
        ({"x": ["car", "cat", "dog"]}, "keep at least 2 classes apart; got one, 'x', for all"),
    ],
)
def test_bad_merges_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        PETS.merge_classes(groups)


@pytest.mark.parametrize("ask", ["one_vs_rest", "at_least"])
def test_unknown_classes_are_refused(ask):
    with pytest.raises(ValueError, match="class must be one of 'car', 'cat', 'dog'; got 'cow'"):
        getattr(PETS, ask)("cow")


@pytest.mark.parametrize("k", [0, 3, -1])
def test_k_outside_the_classes_is_refused(k):
    with pytest.raises(ValueError, match=rf"`k` must be in \[1, 2\], below n_classes; got {k}"):
        PETS.top_k(k)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (
            np.zeros(3, int),
            r"shape \(4, 3\); got shape \(3,\). Where all rows are alike, use `np.bro",
        ),
        (np.zeros((4, 3)), r"must return integers; got dtype float64. Convert with `.astype"),
        (
            np.full((4, 3), -1),
            r"non-negative; got 12 values outside, the first \(-1\) at row 0, col",
        ),
        (np.zeros((4, 3), int), "keep at least 2 classes apart; got only class 0"),
    ],
)
def test_bad_lenses_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        PETS.lens(lambda probs: groups)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["a", "b"], r"in \[0, 2\), the number of names; got 4 values outside, the first \(2\) at"),
        (["a"], "a lens needs at least 2 classes; got 'a'"),
        (["a", "a", "b"], "`classes` must be distinct; got 'a' more than once"),
    ],
)
def test_bad_names_of_a_lens_are_refused(classes, message):
    with pytest.raises(ValueError, match=message):
        PETS.lens(lambda probs: np.broadcast_to([0, 1, 2], probs.shape), classes=classes)


def test_an_unnamed_lens_is_numbered():
    seen = PETS.lens(lambda probs: (probs > 0.3).astype(int))
    assert seen.classes == (0, 1)
    assert np.array_equal(seen.y_prob[:, 1], np.where(P > 0.3, P, 0).sum(axis=1))


def test_a_lens_cannot_change_the_predictions():
    def spoil(probs):
        probs[:] = 0

    with pytest.raises(ValueError, match="read-only"):
        PETS.lens(spoil)


@pytest.mark.parametrize(
    "look",
    [
        lambda p: p.top_label(),
        lambda p: p.top_k(2),
        lambda p: p.one_vs_rest(1),
        lambda p: p.lens(lambda probs: (probs > 0.3).astype(int), classes=["small", "large"]),
    ],
)
def test_blocks_of_rows_do_not_show(limit, ternary, look):
    predictions = Predictions(ternary.y, ternary.P)
    whole = look(predictions)
    limit(lens_rows=5)
    blocks = look(predictions)
    assert np.array_equal(blocks.y_prob, whole.y_prob)
    assert np.array_equal(blocks.y_true, whole.y_true)
