"""JSON and JSON Lines, including logs of language-model evaluations."""

from calibrant.io._json._archive import is_log
from calibrant.io._json._table import JsonTable

__all__ = ["JsonTable", "is_log"]
