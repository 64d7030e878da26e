"""The pair engine: sums over all pairs of rows, by tiles, in bounded memory."""

from calibrant._pairs._forms import BlockForm, Form, RadialForm, TileForm
from calibrant._pairs._products import kernel_products
from calibrant._pairs._sums import (
    as_batches,
    block_sums,
    is_line,
    line_apply,
    many_pair_sums,
    pair_sum,
    row_sums,
)
from calibrant._pairs._tiles import block_residual_sums, distances, is_radial, kernel_values

__all__ = [
    "BlockForm",
    "Form",
    "RadialForm",
    "TileForm",
    "as_batches",
    "block_residual_sums",
    "block_sums",
    "distances",
    "is_line",
    "is_radial",
    "kernel_products",
    "kernel_values",
    "line_apply",
    "many_pair_sums",
    "pair_sum",
    "row_sums",
]
