"""The automatic choice of a method and variant for given data, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from calibrant.estimators import Estimator
from calibrant.methods._aggregated import Aggregated
from calibrant.methods._base import Method
from calibrant.methods._exact import Exact
from calibrant.methods._variants import Variant, reason_for, variant_for


@dataclass(frozen=True)
class Choice:
    """The chosen method and variant, and the reason.

    Parameters
    ----------
    method : Method
        The method that would run.
    variant : str or None
        How it would compute its statistics.
    reason : str
        The reason, in words.

    Examples
    --------
    >>> import calibrant as cal
    >>> cal.methods.Auto().select(n_samples=500, n_classes=10).method
    Aggregated(n_resamples=999, log_score=True, stop_after=None)
    """

    method: Method
    variant: Variant | None
    reason: str


@dataclass(frozen=True)
class Auto:
    """Choose the method and variant. The choice never depends on the machine.

    Examples
    --------
    >>> import calibrant as cal
    >>> choice = cal.methods.Auto().select(n_samples=50_000, n_classes=10)
    >>> choice.variant
    'features'
    >>> print(choice.reason)
    no estimator given: the aggregated test; above 2,100 rows its kernel family uses random
    features and grids and its class-wise family cells, in time linear in the rows
    """

    def select(
        self,
        n_samples: int,
        n_classes: int,
        estimator: Estimator | None = None,
        method: Method | None = None,
    ) -> Choice:
        """Return the choice for n samples, m classes and the given estimator or method.

        Parameters
        ----------
        n_samples, n_classes : int
            Numbers of rows and classes.
        estimator : Estimator, optional
            The estimator, if you chose one.
        method : Method, optional
            The method, if you chose one.
        """
        if method is not None and not isinstance(method, Aggregated):
            return Choice(method, None, "you chose this method")
        if estimator is not None and method is None:
            return Choice(
                Exact(), None, "an estimator and no method given: its exact Monte Carlo test"
            )
        variant = variant_for(n_samples, n_classes)
        given = "the aggregated test" if method else "no estimator given: the aggregated test"
        return Choice(method or Aggregated(), variant, f"{given}; {reason_for(variant, n_classes)}")
