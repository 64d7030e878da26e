"""Reading and writing predictions: CSV, TSV, JSON, Parquet, Arrow, npz, npy; never pickles."""

from calibrant._output import publish
from calibrant.errors import InputError
from calibrant.io._chosen import split_names
from calibrant.io._errors import broken_file
from calibrant.io._formats import FORMATS
from calibrant.io._label_source import order_of
from calibrant.io._options import ReadOptions, class_texts
from calibrant.io._prediction_file import FileFacts, PredictionFile, Understanding
from calibrant.io._read import read_file, read_predictions
from calibrant.io._rewrite import rewrite_probabilities
from calibrant.io._scan import IN_MEMORY, PredictionScan, scan_files, scan_predictions
from calibrant.io._write import csv_text, write_predictions

__all__ = [
    "InputError",
    "PredictionFile",
    "PredictionScan",
    "Understanding",
    "read_predictions",
    "scan_predictions",
    "write_predictions",
]

publish(__name__, globals(), set(__all__) - {"InputError"})
