"""The result of applying a layout to a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from calibrant.io._layouts._sight import Sight


@dataclass(frozen=True)
class Found:
    """Probability columns, and the meaning of their names."""

    columns: tuple[str, ...]
    #: the class in each name; empty if the names contain none
    classes: Mapping[str, str] = field(default_factory=dict)
    logits: bool = False
    #: the only column contains log-probabilities
    logs: bool = False
    #: the column of predicted labels whose confidence the only number may be
    predicted: str | None = None
    #: the columns are the remaining ones, named by the classes
    by_elimination: bool = False


#: a rule, which returns the candidates for one layout
Layout = Callable[[Sight], Sequence[Found]]
