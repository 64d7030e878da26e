"""The grammar of conditions, a small part of Python's; texts are parsed but never evaluated.

.. code-block:: text

    condition  = conjunction { "or" conjunction }
    conjunction = factor { "and" factor }
    factor     = comparison | "(" condition ")"
    comparison = operand ( "<" | "<=" | ">" | ">=" ) operand
    operand    = name [ "." part ] | number
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from calibrant._output import one_line

#: limits of the length and the parentheses of a condition
LONGEST, DEEPEST = 2000, 30

#: characters that are not allowed in conditions, although Python allows some of them
_STRANGE = re.compile(r"[^A-Za-z0-9_\s.<>=()+-]|(?<![<>])=")
_SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class GrammarError(ValueError):
    """A malformed condition; the message points to the place."""


@dataclass(frozen=True)
class Value:
    """A measured number: ``tau.lo`` is the part ``lo`` of ``tau``."""

    name: str
    part: str = ""

    def __str__(self) -> str:
        return f"{self.name}.{self.part}" if self.part else self.name


@dataclass(frozen=True)
class Comparison:
    """Two operands and a comparison operator."""

    left: Value | float
    sign: str
    right: Value | float

    def holds(self, numbers: Mapping[Value, float]) -> bool:
        """Return whether the comparison is true."""
        left, right = (_number(side, numbers) for side in (self.left, self.right))
        return _COMPARE[self.sign](left, right)

    def comparisons(self) -> Iterator[Comparison]:
        """Yield this comparison."""
        yield self

    def __str__(self) -> str:
        return f"{_text(self.left)} {self.sign} {_text(self.right)}"


@dataclass(frozen=True)
class Joined:
    """Conditions joined by "and" (all must be true) or "or" (one is enough)."""

    word: Literal["and", "or"]
    parts: tuple[Comparison | Joined, ...]

    def holds(self, numbers: Mapping[Value, float]) -> bool:
        """Return whether the condition is true."""
        found = [part.holds(numbers) for part in self.parts]
        return all(found) if self.word == "and" else any(found)

    def comparisons(self) -> Iterator[Comparison]:
        """Yield every comparison inside."""
        for part in self.parts:
            yield from part.comparisons()

    def __str__(self) -> str:
        inside = [f"({p})" if isinstance(p, Joined) else str(p) for p in self.parts]
        return f" {self.word} ".join(inside)


Condition = Comparison | Joined


def parse(text: str) -> Condition:
    """Parse a condition.

    Examples
    --------
    >>> from calibrant.cli.gate import Value, parse
    >>> condition = parse("p < 0.01 and tau.lo > 1.05")
    >>> condition.holds({Value("p"): 0.001, Value("tau", "lo"): 1.2})
    True
    """
    if len(text) > LONGEST:
        raise GrammarError(f"a condition must have at most {LONGEST} characters; got {len(text)}")
    return _Parser(text).condition()


class _Parser:
    """Converts Python's syntax tree to a condition, refusing unknown types of nodes."""

    def __init__(self, text: str) -> None:
        self._text = re.sub(r"\s", " ", text).strip()

    def condition(self) -> Condition:
        self._check_characters()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "0.05and" is unambiguous
                tree = ast.parse(self._text.lower(), mode="eval")
        except (SyntaxError, MemoryError, RecursionError) as error:
            # without a place, the text ends too early
            place = (getattr(error, "offset", None) or len(self._text) + 1) - 1
            rule = "expected comparisons such as p<0.01 or tau.lo>1.05, joined by 'and' or 'or'"
            raise self._error(rule, place) from None
        return self._condition(tree.body)

    def _check_characters(self) -> None:
        strange = _STRANGE.search(self._text)
        if strange:
            hint = " (measured numbers are hardly ever equal)" if strange[0] in "=!" else ""
            raise self._error(f"{strange[0]!r} means nothing here{hint}", strange.start())
        depths = list(accumulate((c == "(") - (c == ")") for c in self._text))
        if max(depths, default=0) > DEEPEST:
            rule = f"more than {DEEPEST} parentheses inside each other"
            raise self._error(rule, depths.index(DEEPEST + 1))
        if depths and depths[-1] > 0:
            raise self._error("expected ')'", len(self._text))

    def _condition(self, node: ast.expr) -> Condition:
        if isinstance(node, ast.BoolOp):
            word: Literal["and", "or"] = "and" if isinstance(node.op, ast.And) else "or"
            return Joined(word, tuple(map(self._condition, node.values)))
        if not isinstance(node, ast.Compare):
            raise self._error("expected a comparison such as p<0.01", node.col_offset)
        if len(node.ops) > 1:
            rule = "comparisons are not chained; write 'a < b and b < c'"
            raise self._error(rule, node.comparators[0].end_col_offset)
        sign = _SIGNS.get(type(node.ops[0]))
        if sign is None:
            raise self._error("expected <, <=, > or >=", node.left.end_col_offset)
        left, right = self._operand(node.left), self._operand(node.comparators[0])
        if not isinstance(left, Value) and not isinstance(right, Value):
            rule = "one side of a comparison must be measured, such as p or tau.lo"
            raise self._error(rule, node.col_offset)
        return Comparison(left, sign, right)

    def _operand(self, node: ast.expr) -> Value | float:
        if isinstance(node, ast.Name):
            return Value(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return Value(node.value.id, node.attr)
        number = node
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            number = node.operand
        with suppress(ValueError):  # such as 0x10
            if isinstance(number, ast.Constant):
                return float(self._text[node.col_offset : node.end_col_offset])
        raise self._error("expected a name such as p or tau.lo, or a number", node.col_offset)

    def _error(self, rule: str, place: int | None) -> GrammarError:
        before = " " * len(one_line(self._text[: place or 0]))
        return GrammarError(f"{rule}\n  {one_line(self._text)}\n  {before}^")


def _number(side: Value | float, numbers: Mapping[Value, float]) -> float:
    return numbers[side] if isinstance(side, Value) else side


def _text(side: Value | float) -> str:
    return str(side) if isinstance(side, Value) else f"{side:g}"
