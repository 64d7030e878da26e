"""JSON and JSON Lines, and the logs of evaluations that are written so."""

from calibrant.io._json._table import JsonTable

__all__ = ["JsonTable"]
