"""Order statistics of a stream are those of the sorted numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from calibrant._execution import limited
from calibrant.kernels._order import Numbers, neighbors_in_order

numbers = st.lists(
    st.one_of(
        st.floats(min_value=0.0, max_value=1.5),
        st.sampled_from([0.0, 5e-324, 0.25, 0.5, np.nextafter(0.5, 1.0), 1.0]),
    ),
    min_size=1,
    max_size=60,
)


@given(values=numbers, data=st.data(), kept=st.sampled_from([1, 3, 10, 1000]))
def test_equals_sorting(values, data, kept):
    # -0.0 is no distance
    array = np.abs(np.array(values))
    low = data.draw(st.integers(0, len(values) - 1))
    high = min(low + data.draw(st.integers(0, 1)), len(values) - 1)
    ordered = np.sort(array)
    with limited(sorted_distances=kept):
        parts = np.array_split(array, 3)
        found = neighbors_in_order(Numbers(lambda: iter(parts)), len(array), low, high)
    assert found == (ordered[low], ordered[high])


def test_as_many_passes_as_needed(limit):
    limit(sorted_distances=10)
    passes = 0

    def stream():
        nonlocal passes
        passes += 1
        return iter([np.linspace(0.0, 1.0, 10_000)])

    assert (
        neighbors_in_order(Numbers(stream), 10_000, 4999, 5000)[0]
        == np.linspace(0.0, 1.0, 10_000)[4999]
    )
    # the first 16 bits part an octave, here 2 500 numbers, into 32; the next leave one
    assert passes == 3
