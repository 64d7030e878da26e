"""What a layout finds in a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from calibrant.io._layouts._sight import Sight


@dataclass(frozen=True)
class Found:
    """Probability columns, and what their names say."""

    columns: tuple[str, ...]
    #: the class that each name says; empty where the names say none
    classes: Mapping[str, str] = field(default_factory=dict)
    logits: bool = False
    #: the only column holds log-probabilities
    logs: bool = False
    #: the column of predicted labels that the only number may be the confidence in
    predicted: str | None = None
    #: the columns are what was left, named by the classes
    by_elimination: bool = False


#: a rule: what a table may mean, seen one way
Layout = Callable[[Sight], Sequence[Found]]
