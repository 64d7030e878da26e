"""Gate conditions: their grammar, their numbers, and reports for pipelines."""

from calibrant.cli.gate._grammar import Comparison, Condition, GrammarError, Value, parse

__all__ = ["Comparison", "Condition", "GrammarError", "Value", "parse"]
