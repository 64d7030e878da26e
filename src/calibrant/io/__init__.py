"""Predictions from files and into files: CSV, TSV, Parquet, Arrow, npz, npy; never a pickle."""

from calibrant.io._errors import InputError
from calibrant.io._prediction_file import PredictionFile, Understanding
from calibrant.io._read import read_predictions
from calibrant.io._scan import PredictionScan, scan_predictions
from calibrant.io._write import write_predictions

__all__ = [
    "InputError",
    "PredictionFile",
    "PredictionScan",
    "Understanding",
    "read_predictions",
    "scan_predictions",
    "write_predictions",
]
