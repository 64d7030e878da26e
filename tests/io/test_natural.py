"""Natural files are read right, or refused with the one argument that decides; never wrong."""

import warnings

import numpy as np
import pytest
from tests.io.natural import NATURAL

from calibrant.cli._remedies import OPTIONS, message_of
from calibrant.io import InputError, read_predictions

WITHOUT_WORDS = [title for title, file in NATURAL.items() if not file.needs]
AFTER_ONE = [title for title, file in NATURAL.items() if file.needs]


def argument(name, value):
    return {name: value.split(",") if name == "classes" else value}


def read(file, folder, **options):
    path = file.write(folder)
    given = {name: str(folder / value) for name, value in file.given.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_predictions(path, **given, **options)


def check(file, found):
    """Compare labels and probabilities, class by class in the order of the answer."""
    predictions = found.predictions
    probabilities, labels = file.answer
    order = list(range(predictions.n_classes))
    if file.classes is not None:
        names = [str(name) for name in predictions.classes]
        assert sorted(names) == sorted(file.classes)
        order = [names.index(name) for name in file.classes]
    np.testing.assert_array_equal(np.argsort(order)[predictions.y_true], labels)
    np.testing.assert_allclose(
        predictions.y_prob[:, order], probabilities, rtol=0, atol=max(file.atol, 1e-15)
    )
    assert found.understood.top_label_only == file.top_label_only


def test_there_are_enough_files_and_few_need_an_option():
    assert len(NATURAL) >= 35
    assert len(WITHOUT_WORDS) >= 30
    assert len(AFTER_ONE) <= len(NATURAL) // 7


@pytest.mark.parametrize("title", WITHOUT_WORDS)
def test_natural_files_are_read_without_options(title, tmp_path):
    check(NATURAL[title], read(NATURAL[title], tmp_path))


@pytest.mark.parametrize("title", AFTER_ONE)
def test_others_are_refused_with_the_one_argument_that_decides(title, tmp_path):
    file = NATURAL[title]
    ((name, value),) = file.needs.items()
    with pytest.raises(InputError) as caught:
        read(file, tmp_path)
    assert OPTIONS[name] in message_of(caught.value)
    assert f"`{name}" in str(caught.value)
    check(file, read(file, tmp_path, **argument(name, value)))
