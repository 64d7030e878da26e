import json
import re
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from tests.recalibration.maps import MAPS

from calibrant.errors import DataError, InputError
from calibrant.models import TemperatureModel
from calibrant.recalibration import (
    BetaScaling,
    Calibrator,
    ClassPrior,
    FittedTemperature,
    Identity,
    Isotonic,
    LogLinear,
    Temperature,
    VectorScaling,
    load,
)

SCHEMA = json.loads(files("calibrant.recalibration").joinpath("calibrator.schema.json").read_text())


def calibrator(family, m=3):
    y, p = TemperatureModel(0.5, m, temperature=1.7).sample(200, rng=m)
    names = tuple(f"class {c}" for c in range(m))
    return Calibrator(family.fit(p, y), family.name, names, "0f", {"pvalue": 0.5}), p


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "calibrator.json"
    calibrator(Temperature())[0].to_json(path)
    return path


@pytest.mark.parametrize(
    ("family", "m"), [(f, m) for f in MAPS for m in (2, 3)] + [(BetaScaling(), 2)]
)
def test_a_file_gives_the_same_bits_back(family, m, tmp_path):
    ours, p = calibrator(family, m)
    text = ours.to_json(tmp_path / "map.json")
    theirs = load(tmp_path / "map.json")
    np.testing.assert_array_equal(theirs.apply(p), ours.apply(p))
    assert theirs.to_json() == text
    assert theirs.describe() == ours.describe()
    assert theirs.evidence == {"pvalue": 0.5}
    assert type(theirs.map) is type(ours.map)
    assert theirs.map.n_parameters == ours.map.n_parameters
    jsonschema.validate(json.loads(text), SCHEMA)


@pytest.mark.parametrize("names", [("a", 3), (True, False), (0, 1), ("ä", "日本")])
def test_names_of_classes_keep_their_types(names, tmp_path):
    fitted = FittedTemperature(2, 1e-12, np.array(0.5), np.zeros(2), 1)
    Calibrator(fitted, "temperature", names).to_json(tmp_path / "c.json")
    assert load(tmp_path / "c.json").classes == names


@pytest.mark.parametrize("size", [0, 1, 30, 200, -2])
def test_a_file_that_was_cut_off_is_refused(size, written):
    written.write_bytes(written.read_bytes()[:size])
    with pytest.raises(InputError, match=r"not JSON, or was cut off.*calibrant repair"):
        load(written)


@pytest.mark.parametrize(
    "change",
    [
        {"slopes": [2.0, 2.0, 2.0]},
        {"classes": ["class 0", "class 2", "class 1"]},
        {"floor": 1e-6},
        {"evidence": {"pvalue": 0.9}},
        {"extra": 1},
    ],
)
def test_a_file_that_was_edited_is_refused(change, written):
    written.write_text(json.dumps(json.loads(written.read_text()) | change))
    with pytest.raises(InputError, match="was changed after it was written"):
        load(written)


def test_spaces_and_the_order_of_keys_are_no_edit(written):
    found = json.loads(written.read_text())
    written.write_text(json.dumps(dict(reversed(found.items())), indent=7))
    assert load(written).classes == ("class 0", "class 1", "class 2")


def test_a_newer_version_is_refused(written):
    written.write_text(json.dumps(json.loads(written.read_text()) | {"version": 2}))
    with pytest.raises(InputError, match=r"has version 2.*Install a newer calibrant"):
        load(written)


@pytest.mark.parametrize("content", ["[1, 2]", "{}", '{"format": "other"}', "3", "null"])
def test_other_json_is_refused(content, written):
    written.write_text(content)
    with pytest.raises(InputError, match="this is not a calibrator"):
        load(written)


def test_a_missing_file_or_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        load(tmp_path / "nowhere.json")
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path)


def test_a_binary_file_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"\x93NUMPY\xff\xfe")
    with pytest.raises(InputError, match="this is not a calibrator"):
        load(tmp_path / "x")


def test_a_frame_with_other_classes_or_another_order_is_refused():
    pandas = pytest.importorskip("pandas")
    ours, p = calibrator(Temperature())
    columns = [f"p_class {c}" for c in range(3)]
    frame = pandas.DataFrame(p, columns=columns)
    np.testing.assert_array_equal(ours.apply(frame), ours.apply(p))
    with pytest.raises(DataError, match="Put the columns into this order"):
        ours.apply(frame[columns[::-1]])
    with pytest.raises(DataError, match="must have the columns of the calibrator"):
        ours.apply(frame.rename(columns={"p_class 1": "p_dog"}))


def test_two_names_for_three_classes_are_refused():
    fitted = calibrator(Temperature())[0].map
    with pytest.raises(ValueError, match="must name the 3 classes of the map; got 2"):
        Calibrator(fitted, "temperature", ("a", "b"))


def test_a_file_that_cannot_be_written_leaves_the_old_one(written, monkeypatch):
    before = written.read_bytes()
    ours = calibrator(Temperature())[0]
    broken = Calibrator(ours.map, "temperature", ours.classes, evidence={"x": object()})
    with pytest.raises(TypeError):
        broken.to_json(written)
    assert written.read_bytes() == before
    assert list(written.parent.iterdir()) == [written]


def test_descriptions_say_what_is_done():
    p = [[0.8, 0.2]] * 3
    assert calibrator(Identity())[0].describe() == "Leave the probabilities as they are"
    fitted = Temperature().fit(p, [0, 0, 1])
    assert Calibrator(fitted, "temperature", (0, 1)).describe() == "Divide the logits by 2"
    shifted = ClassPrior().fit([[0.5, 0.5]] * 4, [0, 0, 0, 1])
    assert (
        Calibrator(shifted, "class prior", ("no", "yes")).describe()
        == "Subtract 1.1 from the logit of class yes"
    )
    two = VectorScaling(0.0).fit([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4], [0.4, 0.6]], [0, 1, 1, 0])
    said = Calibrator(two, "vector scaling", (0, 1)).describe()
    assert re.fullmatch(r"Multiply the logit of class 1 by 1\.1, then add 0\.126", said), said


def test_descriptions_of_curves_give_examples():
    p = np.linspace(0.01, 0.99, 99)
    y = p**2 > 0.3
    bent = BetaScaling().fit(p, np.concatenate([y[:50] * 0, y[50:], [1]])[:99].astype(int))
    said = Calibrator(bent, "beta scaling", ("no", "yes")).describe()
    assert re.fullmatch(
        r"Bend the logit of class yes \(0\.1 becomes .*, 0\.9 becomes .*\)", said
    ), said
    steps = Isotonic().fit([0.1, 0.2, 0.3, 0.9], [0, 0, 0, 1])
    assert Calibrator(steps, "isotonic", (0, 1)).describe() == (
        "Replace the probability of class 1 step by step "
        "(0.1 becomes 0.125, 0.5 becomes 0.333, 0.9 becomes 0.75)"
    )


def test_descriptions_of_many_classes_name_the_largest_shift():
    fitted = LogLinear(3, 1e-12, np.array(1.0), np.array([0.6, 0.0, 0.0]))
    assert Calibrator(fitted, "class prior", ("a", "b", "c")).describe() == (
        "Shift the logit of each class (the largest shift is 0.4 for class a)"
    )
    matrix = LogLinear(3, 1e-12, np.eye(3) + 0.1, np.zeros(3))
    assert Calibrator(matrix, "Dirichlet scaling", ("a", "b", "c")).describe() == (
        "Multiply the logits by a full matrix, then shift them"
    )
