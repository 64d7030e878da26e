"""The choices shared by all rows in the linear-time aggregated test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._engine import FourierFeatures, LabelResampler, RandomGrids
from calibrant._execution import limits
from calibrant._native import FloatArray
from calibrant.methods._class_scores import LEVELS
from calibrant.methods._components import Components
from calibrant.methods._confidence import CELLS
from calibrant.methods._scales import FRACTIONS

#: grids of the smallest bandwidth
N_GRIDS = 4
#: largest number of classes, cells of a probability, buckets of a grid: the sums of a label set
#: stay in the cache. Powers of two would make the sums of all label sets compete for the same cache
#: lines
TABLES = ((25, 1000, 509), (50, 500, 251), (np.inf, 250, 127))
#: largest number of classes, features of a row that are summed together, for the same reason
PANELS = ((32, 128), (128, 64), (np.inf, 16))


@dataclass(frozen=True)
class LinearPlan:
    """Features, grids and cells, the components in use, and the source of labels."""

    features: FourierFeatures
    grids: RandomGrids
    bandwidths: tuple[float, ...]
    n_cells: int
    components: Components
    resampler: LabelResampler

    @classmethod
    def make(
        cls, n_classes: int, bandwidth: float, components: Components, resampler: LabelResampler
    ) -> LinearPlan:
        """Choose features, grids and cells from the number of classes and the median distance."""
        smallest, *others = bandwidths = [fraction * bandwidth for fraction in FRACTIONS]
        _, n_cells, n_buckets = next(one for one in TABLES if n_classes <= one[0])
        seed = resampler.seed
        return cls(
            FourierFeatures.draw(n_classes, others, limits().frequencies, seed),
            RandomGrids.draw(n_classes, smallest, N_GRIDS, n_buckets, seed),
            tuple(bandwidths),
            n_cells,
            components,
            resampler,
        )

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.features.draws.shape[0])

    @property
    def n_features(self) -> int:
        """The number of features of a row, over all bandwidths."""
        return int(len(self.features.bandwidths) * self.features.n_features)

    @property
    def panel(self) -> int:
        """The number of features in a panel, a part of a bandwidth's features."""
        width = next(width for most, width in PANELS if self.n_classes <= most)
        return min(width, int(self.features.n_features))

    @property
    def n_panels(self) -> int:
        """The number of panels over all bandwidths."""
        return self.n_features // self.panel

    def by_panel(self, features: FloatArray) -> FloatArray:
        """Arrange features (n, F) by panel, (n_panels, n, panel)."""
        return features.reshape(len(features), self.n_panels, self.panel).swapaxes(0, 1)

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions in use."""
        parts = self.components
        used = {
            "brier": parts.brier,
            "log": parts.log_floor is not None,
            "ranked": parts.ranked,
        }
        return tuple(name for name, is_used in used.items() if is_used)

    @property
    def n_questions(self) -> int:
        """The number of events "class at least k", which have separate cells."""
        return self.n_classes - 1 if self.components.reach else 0

    @property
    def sets_at_once(self) -> int:
        """The number of label sets in one task, limited to keep its state small."""
        return max(4, min(128, 8 * limits().state_size // self.state_bytes))

    @property
    def state_bytes(self) -> int:
        """The bytes of one label set's sums."""
        n_buckets = len(self.grids.pitch) * self.grids.n_buckets
        each = self.n_features + n_buckets + self.n_cells + LEVELS
        return 8 * (self.n_classes * each + 2 * CELLS + 2 * self.n_questions * self.n_cells)

    def row_bytes(self, n_sets: int) -> int:
        """Return the bytes of a prepared row with its labels in some label sets."""
        label = 1 if self.n_classes <= 1 << 8 else 2
        cells = 4 * self.n_classes + 2 * self.n_questions
        return 8 * self.n_features + cells + label * n_sets


def table_rows(n_classes: int) -> int:
    """Return how many rows to process together, so that they stay in the cache."""
    return int(np.clip(limits().table_size // n_classes, 16, 4096))


def preparation(n_classes: int) -> int:
    """Return how many label sets take as long as preparing the rows for all of them."""
    return 130 + 3 * n_classes // 10
