"""Numbers, shares, counts, intervals and times as text."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import MISSING, Field, fields
from typing import Any

#: the text for an unknown number
UNKNOWN = "–"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with a few digits and no needless exponent; a dash if it is unknown.

    Examples
    --------
    >>> number(0.04321), number(12345.6), number(-0.00001234), number(float("nan"))
    ('0.0432', '12300', '−1.23e-05', '–')
    """
    if value is None or math.isnan(value):
        return UNKNOWN
    sign = "\N{MINUS SIGN}" if math.copysign(1.0, value) < 0 and value != 0 else ""
    size = abs(value)
    if math.isinf(size):
        return f"{sign}∞"
    text = f"{size:.{digits}g}"
    if "e+" in text and size < 1e15:
        text = f"{float(text):.0f}"
    return sign + text


def one_line(text: str) -> str:
    r"""Return text from data as one printable line, without control characters.

    Unprintable characters are escaped, and so are marks at the start of a line that a CI service
    would read as commands.

    Examples
    --------
    >>> print(one_line("a\nb"), one_line("\x1b[31mred"), one_line("::warning::x"))
    a\nb \x1b[31mred \x3a:warning::x
    """
    shown = "".join(c if c.isprintable() else _escaped(c) for c in text)
    shown = shown.replace("##[", r"#\x23[")
    return shown.replace("::", r"\x3a:", 1) if shown.lstrip().startswith("::") else shown


def _escaped(character: str) -> str:
    if unicodedata.category(character) == "Zs":  # a wide or non-breaking blank
        return " "
    return character.encode("unicode_escape").decode()


def percent(share: float, digits: int = 4) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:.{digits}g} %"


def probability_text(p: float, digits: int = 3) -> str:
    """Return a probability with enough digits to distinguish it from 1.

    Examples
    --------
    >>> probability_text(0.12345), probability_text(0.99987), probability_text(1.0)
    ('0.123', '0.99987', '1')
    """
    nines = 0 if not 0.0 <= p < 1.0 else min(6, math.floor(-math.log10(1.0 - p)))
    return number(p, max(digits, 2 + nines))


def factor_text(factor: float) -> str:
    """Return a factor with enough digits to distinguish it from 1.

    Examples
    --------
    >>> factor_text(1.234), factor_text(1.00451), factor_text(0.99538)
    ('1.23', '1.005', '0.995')
    """
    distance = abs(factor - 1.0)
    decimals = 1 - round(math.log10(distance)) if 0.0 < distance < 1.0 else 0
    return number(factor, max(3, min(15, decimals + (factor >= 1.0))))


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "bin"), counted(3, "class"), counted(10_000, "row")
    ('1 bin', '3 classes', '10,000 rows')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun}es" if noun.endswith("s") else f"{count:,} {noun}s"


def data_text(
    n_samples: int, n_classes: int, *, n_clusters: int | None = None, ordered: bool = False
) -> str:
    """Return the numbers of rows and classes in words.

    Examples
    --------
    >>> data_text(1500, 2), data_text(300, 5, n_clusters=60, ordered=True)
    ('1,500 rows, 2 classes', '300 rows in 60 clusters, 5 ordered classes')
    """
    inside = "" if n_clusters is None else f" in {counted(n_clusters, 'cluster')}"
    return f"{counted(n_samples, 'row')}{inside}, " + counted(
        n_classes, "ordered class" if ordered else "class"
    )


def pvalue_text(pvalue: float, n_resamples: int | None = None) -> str:
    """Return a p-value; the smallest possible one of resampling is shown as a bound.

    Examples
    --------
    >>> pvalue_text(0.02, 99), pvalue_text(0.01, 99), pvalue_text(0.01), pvalue_text(1e-80)
    ('p = 0.02', 'p ≤ 0.01', 'p = 0.01', 'p < 0.000001')
    """
    text = pvalue_cell(pvalue, n_resamples)
    return f"p {text}" if text[0] in "≤<" else f"p = {text}"


def pvalue_cell(pvalue: float, n_resamples: int | None = None) -> str:
    """Return a p-value for a table cell.

    Examples
    --------
    >>> pvalue_cell(0.02, 99), pvalue_cell(0.01, 99)
    ('0.02', '≤ 0.01')
    """
    if n_resamples is None and pvalue < 1e-6:  # no approximation is accurate that far out
        return "< 0.000001"
    smallest = n_resamples is not None and pvalue * (n_resamples + 1) < 1.5
    return f"{'≤ ' if smallest else ''}{number(pvalue)}"


def range_text(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return a range in words, or a dash if it is unknown.

    Examples
    --------
    >>> range_text(0.25, 0.5), range_text(float("nan"), float("nan"))
    ('0.25 to 0.5', '–')
    """
    if low is None or math.isnan(low):
        return UNKNOWN
    return f"{number(low, digits)} to {number(high, digits)}"


def estimate_text(estimate: float, low: float, high: float, digits: int = 3) -> str:
    """Return an estimate with its interval in brackets, if known.

    Examples
    --------
    >>> estimate_text(0.5, 0.25, 0.75), estimate_text(0.5, float("nan"), float("nan"))
    ('0.5 [0.25, 0.75]', '0.5')
    >>> estimate_text(1.1, 1.09981, 1.10019)  # many rows: enough digits to distinguish the ends
    '1.1 [1.0998, 1.1002]'
    """
    if math.isnan(low):
        return number(estimate, digits)
    digits = max(digits, _telling_digits(low, high))
    ends = f"{number(low, digits)}, {number(high, digits)}"
    return f"{number(estimate, digits)} [{ends}]"


def estimate_cells(estimate: float, low: float, high: float, digits: int = 3) -> tuple[str, str]:
    """Return an estimate and its interval as two table cells.

    Examples
    --------
    >>> estimate_cells(1.1, 1.09981, 1.10019)
    ('1.1', '1.0998 to 1.1002')
    """
    digits = max(digits, _telling_digits(low, high))
    return number(estimate, digits), range_text(low, high, digits)


def _telling_digits(low: float, high: float) -> int:
    """Return how many digits distinguish the ends of an interval."""
    size, width = max(abs(low), abs(high)), high - low
    if not (0.0 < width < math.inf and math.isfinite(size)):
        return 0
    return min(15, math.ceil(math.log10(size / width)) + 1)


def duration(seconds: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> duration(12.3), duration(600), duration(4e5)
    ('about 12 s', 'about 10 min', 'about 5 days')
    """
    if seconds != seconds:
        return "an unknown time"
    if seconds < 1:
        return "less than a second"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:.1f} h" if seconds < 2e5 else f"about {seconds / 86400:.0f} days"


def short_form(configuration: object) -> str:
    """Return a configuration without default values: SKCE() instead of all fields."""
    kind = type(configuration)
    if isinstance(configuration, str):
        return configuration
    parts = [
        f"{f.name}={getattr(configuration, f.name)!r}"
        for f in fields(configuration)  # type: ignore[arg-type]
        if getattr(configuration, f.name) != _default(f)
    ]
    return f"{kind.__name__}({', '.join(parts)})"


def _default(f: Field[Any]) -> Any:
    return f.default if f.default_factory is MISSING else f.default_factory()
