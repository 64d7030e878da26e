"""Conditions of a gate: their grammar, the numbers they name, and reports for pipelines."""

from calibrant.cli.gate._grammar import Comparison, Condition, GrammarError, Value, parse

__all__ = ["Comparison", "Condition", "GrammarError", "Value", "parse"]
