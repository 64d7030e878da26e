"""The pair engine: sums over all pairs of rows, by tiles, in bounded memory."""

from calibrant._pairs._forms import BlockForm, Form, RadialForm, TileForm
from calibrant._pairs._sums import Parallel, block_sums, many_pair_sums, pair_sum, row_sums
from calibrant._pairs._tiles import distances, kernel_values

__all__ = [
    "BlockForm",
    "Form",
    "Parallel",
    "RadialForm",
    "TileForm",
    "block_sums",
    "distances",
    "kernel_values",
    "many_pair_sums",
    "pair_sum",
    "row_sums",
]
