"""The grammar of conditions; texts are parsed by hand and never evaluated as a program.

.. code-block:: text

    condition  = conjunction { "or" conjunction }
    conjunction = factor { "and" factor }
    factor     = comparison | "(" condition ")"
    comparison = operand ( "<" | "<=" | ">" | ">=" ) operand
    operand    = name [ "." part ] | number
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: the longest condition and the deepest parentheses that a person would write
LONGEST, DEEPEST = 2000, 30

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_]+)?)"
    r"|(?P<mark><=|>=|<|>|\(|\))"
    r"|(?P<end>$))"
)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class GrammarError(ValueError):
    """A condition that is not well-formed; the message points at the place."""


@dataclass(frozen=True)
class Value:
    """A number that was measured: ``tau.lo`` is the part ``lo`` of ``tau``."""

    name: str
    part: str = ""

    def __str__(self) -> str:
        return f"{self.name}.{self.part}" if self.part else self.name


@dataclass(frozen=True)
class Comparison:
    """Two operands and a sign between them."""

    left: Value | float
    sign: str
    right: Value | float

    def holds(self, numbers: Mapping[Value, float]) -> bool:
        """Say whether the comparison is true."""
        left, right = (_number(side, numbers) for side in (self.left, self.right))
        return _COMPARE[self.sign](left, right)

    def comparisons(self) -> Iterator[Comparison]:
        """Yield itself."""
        yield self

    def __str__(self) -> str:
        return f"{_text(self.left)} {self.sign} {_text(self.right)}"


@dataclass(frozen=True)
class Joined:
    """Conditions joined by "and" (all must hold) or "or" (one is enough)."""

    word: Literal["and", "or"]
    parts: tuple[Comparison | Joined, ...]

    def holds(self, numbers: Mapping[Value, float]) -> bool:
        """Say whether the condition is true."""
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
    return _Parser(text).whole()


class _Parser:
    """Recursive descent over the tokens, one function for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._tokenize())
        self._next = 0
        self._depth = 0

    def whole(self) -> Condition:
        condition = self._condition()
        if self._kind() != "end":
            self._refuse("expected 'and', 'or' or the end")
        return condition

    def _condition(self) -> Condition:
        return self._joined("or", lambda: self._joined("and", self._factor))

    def _joined(self, word: Literal["and", "or"], rule: Callable[[], Condition]) -> Condition:
        parts = [rule()]
        while self._is_word(word):
            self._next += 1
            parts.append(rule())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _factor(self) -> Condition:
        if self._here()[1] != "(":
            return self._comparison()
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse(f"more than {DEEPEST} parentheses inside each other")
        self._next += 1
        condition = self._condition()
        if self._here()[1] != ")":
            self._refuse("expected ')'")
        self._next += 1
        self._depth -= 1
        return condition

    def _comparison(self) -> Comparison:
        left = self._operand()
        sign = self._here()[1]
        if sign not in _COMPARE:
            self._refuse("expected <, <=, > or >=")
        self._next += 1
        right = self._operand()
        if self._here()[1] in _COMPARE:
            self._refuse("comparisons are not chained; write 'a < b and b < c'")
        if not isinstance(left, Value) and not isinstance(right, Value):
            self._refuse("one side of a comparison must be measured, such as p or tau.lo")
        return Comparison(left, sign, right)

    def _operand(self) -> Value | float:
        kind, text, _ = self._here()
        if kind == "number":
            self._next += 1
            return float(text)
        if kind != "name" or text.lower() in ("and", "or"):
            self._refuse("expected a name such as p or tau.lo, or a number")
        self._next += 1
        name, _, part = text.lower().partition(".")
        return Value(name, part)

    def _tokenize(self) -> Iterator[tuple[str, str, int]]:
        place = 0
        while True:
            found = _TOKEN.match(self._text, place)
            if found is None:
                place += len(self._text[place:]) - len(self._text[place:].lstrip())
                mark = self._text[place]
                hint = " (numbers that were measured are hardly ever equal)" if mark in "=!" else ""
                self._fail(f"{mark!r} means nothing here{hint}", place)
            kind = str(found.lastgroup)
            yield kind, found[kind], found.start(kind)
            if kind == "end":
                return
            place = found.end()

    def _here(self) -> tuple[str, str, int]:
        return self._tokens[self._next]

    def _kind(self) -> str:
        return self._here()[0]

    def _is_word(self, word: str) -> bool:
        kind, text, _ = self._here()
        return kind == "name" and text.lower() == word

    def _refuse(self, rule: str) -> NoReturn:
        kind, text, place = self._here()
        got = "the end" if kind == "end" else repr(text)
        self._fail(f"{rule}; got {got}", place)

    def _fail(self, rule: str, place: int) -> NoReturn:
        raise GrammarError(f"{rule}\n  {self._text}\n  {' ' * place}^")


def _number(side: Value | float, numbers: Mapping[Value, float]) -> float:
    return numbers[side] if isinstance(side, Value) else side


def _text(side: Value | float) -> str:
    return str(side) if isinstance(side, Value) else f"{side:g}"
