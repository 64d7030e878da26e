"""JSON and JSON Lines, and the logs of evaluations that are written so."""

from calibrant.io._json._archive import is_log
from calibrant.io._json._table import JsonTable

__all__ = ["JsonTable", "is_log"]
