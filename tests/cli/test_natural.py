"""Natural files with `calibrant check`: read without an option, or with the one that is named."""

import json

import numpy as np
import pytest
from tests.io.natural import NATURAL

from calibrant.cli._remedies import OPTIONS


@pytest.mark.parametrize("title", NATURAL)
def test_natural_files(run, tmp_path, title):
    file = NATURAL[title]
    path = file.write(tmp_path)
    given = [word for name, value in file.given.items()
             for word in (OPTIONS[name], str(tmp_path / value))]  # fmt: skip
    if file.needs:
        ((name, value),) = file.needs.items()
        refused = run("check", path, *given)
        assert refused.exit_code == 3
        assert OPTIONS[name] in refused.stderr
        given += [OPTIONS[name]] if value is True else [OPTIONS[name], value]
    done = run("check", path, *given, "--json", "-")
    assert done.exit_code == 0, done.stderr
    assert "warning" not in done.stderr
    found = json.loads(done.stdout)
    probabilities, labels = file.answer
    counts = {c["name"]: (c["count"], c["mean_probability"]) for c in found["classes"]}
    names = file.classes or tuple(counts)
    expected = np.bincount(labels, minlength=len(names))
    assert [counts[name][0] for name in names] == expected.tolist()
    means = [counts[name][1] for name in names]
    np.testing.assert_allclose(means, probabilities.mean(axis=0), atol=1e-8)
