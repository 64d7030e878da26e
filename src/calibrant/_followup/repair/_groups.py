"""The effect of the chosen map in each group of rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calibrant._followup.repair._changes import LOG_LOSS_MEANING, Rows, Scores
from calibrant._followup.where import Partition
from calibrant._native import BoolArray
from calibrant._output import Count, Finite, Plain, to_plain, written_as
from calibrant.effects import Effect


def _plain_name(name: Hashable) -> Any:
    plain = to_plain(name)
    return plain if isinstance(plain, str | int | float) else str(name)


@dataclass(frozen=True)
class GroupChange(Plain):
    """The change by the chosen map in a group of rows.

    Attributes
    ----------
    grouping : str
        Name of the grouping.
    name : hashable
        Name of the group.
    n_samples : int
        Number of rows.
    log_loss : Effect
        Change of the log loss on unseen rows, after − before: negative is better.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.5, 3, temperature=2.0)  # over-confident
    >>> sites = ["a", "b"] * 250
    >>> result = cal.repair(*model.sample(500, rng=0), groups=sites, n_resamples=99, rng=0)
    >>> [(change.name, change.is_worse) for change in result.groups]
    [('a', False), ('b', False)]

    The repair harms neither site.
    """

    grouping: str
    name: Hashable = field(metadata=written_as(str | bool | Finite, _plain_name))
    n_samples: Count
    log_loss: Effect

    @property
    def is_worse(self) -> bool:
        """Whether the map clearly increases the group's log loss: its interval excludes 0."""
        return self.log_loss.interval.is_known and self.log_loss.interval.low > 0.0


def group_changes(
    partitions: list[Partition],
    keep: BoolArray,
    rows: Rows,
    scores: Mapping[str, Scores],
    confidence_level: float,
) -> Iterator[GroupChange]:
    """Yield the change of the log loss of every group with rows, from scores before and after."""
    position = np.cumsum(keep) - 1
    before, after = scores["before"].log_loss, scores["after"].log_loss
    for partition in partitions:
        for group in partition.groups:
            own = position[group.rows[keep[group.rows]]]
            if not own.size:
                continue
            effect = rows.take(own).change(
                before[own], after[own], "log_loss", LOG_LOSS_MEANING, confidence_level
            )
            yield GroupChange(str(partition.grouping), group.name, len(own), effect)
