"""Lenses by name: the argument after the colon and the method of `Predictions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from calibrant._predictions import Predictions


def _number(predictions: Predictions, text: str) -> int:
    return int(text)


def _class(predictions: Predictions, text: str) -> Any:
    """Return the class with this text; command-line texts have no type."""
    return {str(name): name for name in predictions.classes}.get(text, text)


#: name, argument after the colon, and its parser; the method has the name of the lens
LENSES: dict[str, tuple[str, Callable[[Predictions, str], Any] | None]] = {
    "top-label": ("", None),
    "top-k": ("K", _number),
    "one-vs-rest": ("CLASS", _class),
    "at-least": ("CLASS", _class),
}
_FORMS = [f"{name}:{argument}" if argument else name for name, (argument, _) in LENSES.items()]
FORMS = f"{', '.join(_FORMS[:-1])} or {_FORMS[-1]}"


def check_lens(value: str | None) -> str | None:
    """Refuse a text that is not a lens."""
    if value is None:
        return None
    name, _, argument = value.partition(":")
    wanted = LENSES.get(name, ("", None))[0]
    if name not in LENSES or bool(wanted) != bool(argument):
        raise click.BadParameter(f"{value!r} is not a lens; use {FORMS}")
    if wanted == "K" and not argument.isdecimal():
        raise click.BadParameter(f"{name} needs a whole number; got {argument!r}")
    return value


def see_through(lens: str, predictions: Predictions) -> Predictions:
    """Apply a lens to predictions."""
    name, _, argument = lens.partition(":")
    read = LENSES[name][1]
    method = getattr(predictions, name.replace("-", "_"))
    seen: Predictions = method() if read is None else method(read(predictions, argument))
    return seen
