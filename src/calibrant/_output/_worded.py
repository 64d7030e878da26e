"""Results that describe themselves in words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from calibrant._output._notebook import IntervalBar, notebook_html
from calibrant._output._tables import Section, join_sections
from calibrant._output._words import one_line


class Worded(ABC):
    """A result with a verdict, highlights and notes, which `summary` combines."""

    @property
    @abstractmethod
    def verdict(self) -> str:
        """The verdict, in one sentence."""

    @property
    @abstractmethod
    def highlights(self) -> tuple[str, ...]:
        """The facts behind the verdict, one sentence each."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """Caveats."""

    @property
    @abstractmethod
    def sections(self) -> tuple[Section, ...]:
        """The parts of `summary` after the verdict."""

    def summary(self) -> str:
        """Return the verdict and the facts behind it, in plain words."""
        return one_line(self.verdict) + join_sections(self.sections)

    #: what their marks mean
    _caption: ClassVar[str] = ""

    @property
    def _bars(self) -> tuple[IntervalBar, ...]:
        """The intervals that a notebook draws."""
        return ()

    def _repr_html_(self) -> str:
        return notebook_html(self.verdict, self._bars, self._caption, self.sections)

    def __str__(self) -> str:
        return self.summary()
