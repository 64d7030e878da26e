"""What all rows must agree on where the aggregated test takes time linear in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._engine import FourierFeatures, LabelResampler, RandomGrids
from calibrant._native import FloatArray
from calibrant.methods._class_scores import LEVELS
from calibrant.methods._components import Components
from calibrant.methods._confidence import CELLS
from calibrant.methods._scales import FRACTIONS

#: frequencies of a bandwidth
N_FREQUENCIES = 64
#: grids of the smallest bandwidth
N_GRIDS = 4
#: cells of a probability and buckets of a grid, up to as many classes: the sums of a label set stay
#: in the cache. Not powers of two, at whose multiples those of all label sets would fight for the
#: same lines of it
TABLES = ((25, 1000, 509), (50, 500, 251), (np.inf, 250, 127))
#: features of a row that are added up together, up to as many classes, for the same reason
PANELS = ((32, 128), (128, 64), (np.inf, 16))
#: numbers in the state of one task
STATE_SIZE = 1 << 23


@dataclass(frozen=True)
class LinearPlan:
    """Features, grids and cells, the components in use, and where labels come from."""

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
            FourierFeatures.draw(n_classes, others, N_FREQUENCIES, seed),
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
        """Features of a row, all bandwidths together."""
        return int(len(self.features.bandwidths) * self.features.n_features)

    @property
    def panel(self) -> int:
        """Features of a panel, a part of those of a bandwidth."""
        width = next(width for most, width in PANELS if self.n_classes <= most)
        return min(width, int(self.features.n_features))

    @property
    def n_panels(self) -> int:
        """Panels of all bandwidths together."""
        return self.n_features // self.panel

    def by_panel(self, features: FloatArray) -> FloatArray:
        """Put features (n, F) into one array for each panel, (n_panels, n, panel)."""
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
        """Questions whether a class is reached, which have separate cells."""
        return self.n_classes - 1 if self.components.reach else 0

    @property
    def sets_at_once(self) -> int:
        """Label sets of one task, so that its state stays small."""
        return max(4, min(128, 8 * STATE_SIZE // self.state_bytes))

    @property
    def state_bytes(self) -> int:
        """The memory of the sums of one label set."""
        n_buckets = len(self.grids.pitch) * self.grids.n_buckets
        each = self.n_features + n_buckets + self.n_cells + LEVELS
        return 8 * (self.n_classes * each + 2 * CELLS + 2 * self.n_questions * self.n_cells)

    def row_bytes(self, n_sets: int) -> int:
        """Return the memory of a prepared row with its labels in some label sets."""
        label = 1 if self.n_classes <= 1 << 8 else 2
        cells = 4 * self.n_classes + 2 * self.n_questions
        return 8 * self.n_features + cells + label * n_sets


def table_rows(n_classes: int) -> int:
    """Return how many rows of all classes are looked at together: they stay in the cache."""
    return int(np.clip((1 << 16) // n_classes, 16, 4096))


def preparation(n_classes: int) -> int:
    """Return how many label sets take as long as preparing the rows for all of them."""
    return 130 + 3 * n_classes // 10
