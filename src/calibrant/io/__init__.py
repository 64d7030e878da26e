"""Predictions from files: CSV, TSV, Parquet, Arrow, npz and npy; never a pickle."""

from calibrant.io._errors import InputError
from calibrant.io._read import PredictionFile, Understanding, read_predictions

__all__ = ["InputError", "PredictionFile", "Understanding", "read_predictions"]
