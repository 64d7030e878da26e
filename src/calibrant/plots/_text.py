"""Words and numbers in pictures."""

from __future__ import annotations

from typing import Any

#: longer names are cut
_LONGEST = 28


def name_text(name: Any, longest: int = _LONGEST) -> str:
    r"""Return the name of a class or model as one line that every format can hold.

    Examples
    --------
    >>> name_text("a\nb"), name_text("x" * 99, 5)
    ('a b', 'xxxx…')
    """
    text = " ".join(str(name).split())
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def number(value: float) -> str:
    """Return three digits, without needless exponents.

    Examples
    --------
    >>> number(0.04321), number(12345.6), number(-0.00001234)
    ('0.0432', '12300', '−1.23e-05')
    """
    text = f"{value:.3g}"
    if "e+" in text:
        text = f"{float(text):.0f}" if abs(value) < 1e15 else text
    return text.replace("-", "\N{MINUS SIGN}", 1) if text.startswith("-") else text


def percent(share: float) -> str:
    """Return a share in per cent.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:.4g} %"


def counted(count: int, noun: str) -> str:
    """Put a number and a noun together.

    Examples
    --------
    >>> counted(1, "bin"), counted(3, "class")
    ('1 bin', '3 classes')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}es" if noun.endswith("s") else f"{count} {noun}s"
