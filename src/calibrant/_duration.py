"""Times as a person would say them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Write a time as a person would say it.

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
