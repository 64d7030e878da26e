"""Estimators and methods by name; strings are used only on the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from calibrant.estimators import Estimator
    from calibrant.methods import Method


class LazyChoice(click.ParamType):  # type: ignore[type-arg] # generic from click 8.4 on
    """A choice among names that are looked up only when needed, so that help stays fast."""

    name = "name"

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name, also with _ for -, or raise an error that lists the names."""
        written = value.replace("_", "-") if isinstance(value, str) else value
        return click.Choice(list(self._names())).convert(written, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
        """Return the names with this prefix."""
        return click.Choice(list(self._names())).shell_complete(ctx, param, incomplete)


def estimator_names() -> list[str]:
    """Return the names of the calibration errors that can be tested, as option values."""
    return list(_estimators())


def measure_names() -> list[str]:
    """Return the names of all measures, as option values."""
    from calibrant.effects import MEASURES

    return [one.name.replace("_", "-") for one in MEASURES]


def method_names() -> list[str]:
    """Return the names of the methods, as option values."""
    return list(_methods())


def chosen_estimator(name: str | None) -> Estimator | None:
    """Return the estimator with this name."""
    return None if name is None else _estimators()[name]


def chosen_method(name: str | None, estimator: str | None, n_resamples: int) -> Method:
    """Return the method with this name and the user's number of resamples."""
    method = _methods()[name or ("aggregated" if estimator is None else "exact")]
    made: Method = method(n_resamples) if "n_resamples" in method.__annotations__ else method()
    return made


def require_match(estimator: str | None, method: str | None) -> None:
    """Refuse a method that does not fit an estimator, listing those that do."""
    if estimator is None or method is None:
        return
    chosen = _estimators()[estimator]
    if not _methods()[method]().takes(chosen):
        fitting = [name for name, one in _methods().items() if one().takes(chosen)]
        flags = " or ".join(f"--method {name}" for name in fitting)
        raise click.UsageError(
            f"--method {method} does not go with --estimator {estimator}; use {flags}"
        )


def uses_resamples(method: str | None) -> bool:
    """Return whether a method draws label sets."""
    return method is None or "n_resamples" in _methods()[method].__annotations__


def _estimators() -> dict[str, Estimator]:
    from calibrant.effects import MEASURES

    rows = {one.name.replace("_", "-"): one.estimator for one in MEASURES}
    return {name: estimator for name, estimator in rows.items() if estimator is not None}


def _methods() -> dict[str, type[Any]]:
    from calibrant.methods import NAMED

    return {re.sub(r"(?<=[a-z])(?=[A-Z])", "-", one.__name__).lower(): one for one in NAMED}
