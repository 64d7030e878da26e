"""One statistic for each hypothesis, from its pair sum and its directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.methods._combination import pooled_tails, two_sided_tails

if TYPE_CHECKING:
    from calibrant._typing import FloatArray


def evidence(pairs: FloatArray, *directions: FloatArray) -> FloatArray:
    r"""Return log(1/p̃_T + Σ 1/p̃_z) for every hypothesis and label set, (H, B + 1).

    The pair sum T sees deviations of any shape and is right-tailed; a direction z is two-sided
    and stronger where all deviations point the same way. The approximate tails make hypotheses
    comparable. Every label set is treated alike, so ranks among them are exact; a hypothesis
    uses its own statistics only, so that others, true or false, have no say in its rank.
    """
    reciprocal = 1.0 / pooled_tails(pairs)
    for z in directions:
        reciprocal = reciprocal + 1.0 / two_sided_tails(z)
    return np.asarray(np.log(reciprocal))
