"""One page to hand over: verdict, evidence, pictures, and how to make it again."""

from __future__ import annotations

from calibrant.report._report import Report

__all__ = ["Report"]
