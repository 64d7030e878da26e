"""Kinds of miscalibration for the power study of the default test.

Every entry is (rows, classes, predictions, truth): `predictions` draws predicted distributions,
`truth` converts them to the distributions of the labels. The weights of the default test were
chosen on `TUNING` and `FURTHER`; `FRESH` were run once after the choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibrant._native import FloatArray

    Draw = Callable[[int, int, np.random.Generator], FloatArray]
    Truth = Callable[[FloatArray], FloatArray]
    Alternative = tuple[int, int, Draw, Truth]


def draw_labels(p: FloatArray, rng: np.random.Generator) -> np.ndarray:
    """Draw a label for every row."""
    cumulated = p.cumsum(axis=1)
    uniforms = rng.random(len(p)) * cumulated[:, -1]
    return (cumulated[:, :-1] <= uniforms[:, None]).sum(axis=1)


def dirichlet(concentration: float) -> Draw:
    """Draw rows from a symmetric Dirichlet distribution."""

    def draw(n: int, m: int, rng: np.random.Generator) -> FloatArray:
        p = np.maximum(rng.standard_gamma(concentration, (n, m)), 1e-300)
        return p / p.sum(axis=1, keepdims=True)

    return draw


def uneven(*concentrations: float) -> Draw:
    """Draw rows from a Dirichlet distribution whose classes are not equally common."""

    def draw(n: int, m: int, rng: np.random.Generator) -> FloatArray:
        p = np.maximum(rng.standard_gamma(concentrations, (n, m)), 1e-300)
        return p / p.sum(axis=1, keepdims=True)

    return draw


def long_tail(n: int, m: int, rng: np.random.Generator) -> FloatArray:
    """Draw rows with increasingly rare classes."""
    prior = 1.0 / np.arange(1, m + 1) ** 1.2
    prior /= prior.sum()
    logits = np.log(prior) + rng.standard_normal((n, m))
    logits[np.arange(n), rng.choice(m, size=n, p=prior)] += 2.5
    return temper(np.exp(logits - logits.max(axis=1, keepdims=True)), 1.0)


def temper(p: FloatArray, tau: float) -> FloatArray:
    """Return rows proportional to p^(1/τ)."""
    logits = np.log(np.maximum(p, 1e-300)) / tau
    q = np.exp(logits - logits.max(axis=1, keepdims=True))
    return q / q.sum(axis=1, keepdims=True)


def temperature(tau: float) -> Truth:
    """Over-confident above 1."""
    return lambda p: temper(p, tau)


def tilt(*shifts: float) -> Truth:
    """Shift the logits of the first classes."""

    def truth(p: FloatArray) -> FloatArray:
        q = p * np.exp(np.r_[shifts, np.zeros(p.shape[1] - len(shifts))])
        return q / q.sum(axis=1, keepdims=True)

    return truth


def with_confidence(p: FloatArray, confidence: FloatArray) -> FloatArray:
    """Change the largest probability of every row and scale the others."""
    rows, top = np.arange(len(p)), p.argmax(axis=1)
    q = p * ((1.0 - confidence) / np.maximum(1.0 - p[rows, top], 1e-12))[:, None]
    q[rows, top] = confidence
    return q


def oscillate(amplitude: float, frequency: float) -> Truth:
    """Make the confidence oscillate around the right one."""

    def truth(p: FloatArray) -> FloatArray:
        c = p.max(axis=1)
        room = 4.0 * amplitude * (c - 1.0 / p.shape[1]) * (1.0 - c)
        return with_confidence(
            p, np.clip(c + room * np.sin(2 * np.pi * frequency * c), 1e-6, 1 - 1e-9)
        )

    return truth


def bump(low: float, high: float, size: float) -> Truth:
    """Make the confidence too high in an interval."""

    def truth(p: FloatArray) -> FloatArray:
        c = p.max(axis=1)
        return with_confidence(p, np.where((c > low) & (c < high), c - size, c))

    return truth


def above(low: float, tau: float) -> Truth:
    """Make confident rows over-confident."""

    def truth(p: FloatArray) -> FloatArray:
        return np.where((p.max(axis=1) >= low)[:, None], temper(p, tau), p)

    return truth


def swap(share: float) -> Truth:
    """Swap the first two classes in a share of the rows."""

    def truth(p: FloatArray) -> FloatArray:
        q, moved = p.copy(), share * (p[:, 1] - p[:, 0])
        q[:, 0] += moved
        q[:, 1] -= moved
        return q

    return truth


def pair_wave(amplitude: float, frequency: float) -> Truth:
    """Move probability between the first two classes, by a wave of the first."""

    def truth(p: FloatArray) -> FloatArray:
        wave = np.sin(2 * np.pi * frequency * p[:, 0])
        q, moved = p.copy(), amplitude * np.minimum(p[:, 0], p[:, 1]) * wave
        q[:, 0] += moved
        q[:, 1] -= moved
        return q

    return truth


def rotate(share: float) -> Truth:
    """Let a share of the first three classes go to the next, in a circle."""

    def truth(p: FloatArray) -> FloatArray:
        q = p.copy()
        q[:, :3] = (1.0 - share) * p[:, :3] + share * p[:, [2, 0, 1]]
        return q

    return truth


def interact(share: float) -> Truth:
    """Move the first class to the second where the third is likely, and half as much back."""

    def truth(p: FloatArray) -> FloatArray:
        likely = p[:, 2] > np.median(p[:, 2])
        moved = np.maximum(share * p[:, 0] * np.where(likely, 1.0, -0.5), -0.9 * p[:, 1])
        q = p.copy()
        q[:, 0] -= moved
        q[:, 1] += moved
        return q

    return truth


def shifts(seed: int, size: float, n_classes: int) -> Truth:
    """Shift the logits of all classes at random."""
    return tilt(*np.random.default_rng(seed).normal(0.0, size, n_classes))


def from_class(first: int, *sizes: float) -> Truth:
    """Shift the logits of some classes from number `first` on."""
    return tilt(*np.zeros(first), *sizes)


def first_class(share: float) -> Truth:
    """Make some labels the first class regardless of the prediction."""
    return lambda p: (1.0 - share) * p + share * np.eye(p.shape[1])[0]


def uniform_noise(share: float) -> Truth:
    """Make some labels uniform."""
    return lambda p: (1.0 - share) * p + share / p.shape[1]


def wave(amplitude: float, frequency: float) -> Truth:
    """Return a two-class truth that oscillates around P(positive)."""

    def truth(p: FloatArray) -> FloatArray:
        x = p[:, 1]
        q = x + amplitude * x * (1.0 - x) * np.sin(2 * np.pi * frequency * x)
        return np.stack([1.0 - q, q], axis=1)

    return truth


FLAT, SHARP = dirichlet(1.0), dirichlet(0.1)
SHIFTS = np.random.default_rng(0).normal(0.0, 0.5, 10)
TUNING: dict[str, Alternative] = {
    "temperature 1.3": (250, 10, SHARP, temperature(1.3)),
    "temperature 1.3, Dir(1)": (250, 10, FLAT, temperature(1.3)),
    "temperature .77": (250, 10, SHARP, temperature(0.77)),
    "temperature .77, Dir(1)": (250, 10, FLAT, temperature(0.77)),
    "top label oscillates, m=3": (250, 3, FLAT, oscillate(0.5, 3.0)),
    "top label oscillates, m=10": (250, 10, SHARP, oscillate(0.25, 2.0)),
    "top label oscillates, m=100": (250, 100, SHARP, oscillate(0.35, 2.0)),
    "bump, m=10": (500, 10, SHARP, bump(0.6, 0.75, 0.25)),
    "bump, m=2": (500, 2, FLAT, bump(0.6, 0.7, 0.18)),
    "confident rows too confident": (250, 10, SHARP, above(0.9, 2.2)),
    "one rare class of 20": (500, 20, long_tail, tilt(*np.zeros(17), 1.3)),
    "one class of 100, Dir(1)": (500, 100, FLAT, tilt(1.2)),
    "one class of 100, Dir(.1)": (500, 100, SHARP, tilt(1.8)),
    "M2 .04": (250, 10, SHARP, first_class(0.04)),
    "M2 .08, Dir(1)": (250, 10, FLAT, first_class(0.08)),
    "two of 100 swapped": (1000, 100, SHARP, swap(1.0)),
    "class shifts": (250, 10, SHARP, tilt(*SHIFTS)),
    "two classes, wave": (250, 2, FLAT, wave(0.9, 2.0)),
}
FURTHER: dict[str, Alternative] = {
    "temperature 1.5, m=2": (250, 2, FLAT, temperature(1.5)),
    "temperature .75, m=3": (250, 3, FLAT, temperature(0.75)),
    "temperature 1.15, m=100": (250, 100, SHARP, temperature(1.15)),
    "top label oscillates, m=20": (250, 20, SHARP, oscillate(0.2, 1.5)),
    "bump, m=5": (500, 5, dirichlet(0.3), bump(0.8, 0.92, 0.2)),
    "confident rows, m=3": (250, 3, dirichlet(0.3), above(0.8, 1.4)),
    "one class of 10": (250, 10, SHARP, tilt(0.9)),
    "one common class of 20": (500, 20, long_tail, tilt(0.0, -0.5)),
    "M3 .05": (250, 10, SHARP, uniform_noise(0.05)),
    "two of 3 swapped .2": (250, 3, FLAT, swap(0.2)),
    "two classes, shift": (250, 2, FLAT, tilt(0.0, 0.4)),
    "two classes, slow wave": (250, 2, FLAT, wave(0.7, 1.0)),
    "one of 10 x1.5": (1000, 10, SHARP, tilt(0.405)),
    "one of 10 x1.5, Dir(1)": (700, 10, FLAT, tilt(0.405)),
    "one class of 5": (500, 5, dirichlet(0.3), tilt(-0.5)),
    "three classes of 20": (500, 20, SHARP, tilt(0.9, -0.9, 0.9)),
    "class shifts, m=20": (500, 20, long_tail, shifts(5, 0.4, 20)),
    "one common class of 50": (500, 50, long_tail, tilt(-0.6)),
    "three rare classes of 50": (1000, 50, long_tail, from_class(47, 1.3, 1.3, 1.3)),
    "two classes, shift .35": (400, 2, dirichlet(0.5), tilt(0.0, 0.35)),
    "temperature 1.35, m=2": (300, 2, dirichlet(0.5), temperature(1.35)),
    "bump, m=4": (500, 4, dirichlet(0.5), bump(0.7, 0.85, 0.17)),
    "temperature .8, m=20": (300, 20, dirichlet(0.3), temperature(0.8)),
    "temperature 1.2, m=5": (500, 5, dirichlet(0.5), temperature(1.2)),
    "top label oscillates, m=5": (300, 5, dirichlet(0.3), oscillate(0.35, 1.5)),
    "M3 .04, m=20": (300, 20, SHARP, uniform_noise(0.04)),
    "common of 10": (500, 10, long_tail, tilt(0.405)),
    "common of 10, uneven": (500, 10, uneven(0.6, *[0.1] * 9), tilt(0.405)),
    "common of 20, too often": (500, 20, long_tail, tilt(-0.45)),
    "rare of 10, uneven": (800, 10, uneven(0.03, *[0.2] * 9), tilt(0.9)),
    "second of 100": (500, 100, long_tail, tilt(0.0, 0.7)),
    "pair wave, m=3": (500, 3, FLAT, pair_wave(0.9, 1.5)),
    "three of 4 rotate": (400, 4, dirichlet(0.5), rotate(0.12)),
    "interaction, m=4": (500, 4, FLAT, interact(0.45)),
    "two of 10 swapped .2": (400, 10, SHARP, swap(0.2)),
}
FRESH: dict[str, Alternative] = {
    "one of 10 x1.5, Dir(.3)": (1000, 10, dirichlet(0.3), tilt(0.405)),
    "one of 10, too often": (1000, 10, SHARP, tilt(-0.6)),
    "one class of 4": (400, 4, FLAT, tilt(0.45)),
    "common of 30": (800, 30, long_tail, tilt(0.0, 0.4)),
    "rare of 10": (600, 10, long_tail, from_class(8, 0.85)),
    "two classes, shift -.3": (500, 2, dirichlet(2.0), tilt(0.0, -0.3)),
    "class shifts, m=15": (400, 15, dirichlet(0.2), shifts(7, 0.35, 15)),
    "temperature 1.25, m=6": (350, 6, dirichlet(0.5), temperature(1.25)),
    "temperature .86, m=15": (400, 15, dirichlet(0.2), temperature(0.86)),
    "bump, m=8": (500, 8, dirichlet(0.2), bump(0.5, 0.65, 0.15)),
    "top label oscillates, m=4": (400, 4, dirichlet(0.5), oscillate(0.3, 2.5)),
    "M2 .03, m=20": (250, 20, SHARP, first_class(0.03)),
    "confident rows, m=5": (300, 5, dirichlet(0.2), above(0.85, 1.55)),
    "two of 6 swapped .15": (400, 6, dirichlet(0.5), swap(0.15)),
    "two classes, wave, Dir(.5)": (350, 2, dirichlet(0.5), wave(0.8, 1.5)),
    "M3 .06, m=5": (300, 5, dirichlet(0.3), uniform_noise(0.06)),
    "two of 50 swapped .5": (600, 50, SHARP, swap(0.5)),
    "four classes of 8": (400, 8, dirichlet(0.3), tilt(0.38, 0.38, -0.38, -0.38)),
    "common of 10, uneven, more": (600, 10, uneven(1.2, *[0.25] * 9), tilt(0.405)),
    "common of 12, too often": (400, 12, long_tail, tilt(-0.45)),
    "second of 6": (400, 6, uneven(0.8, 0.5, *[0.2] * 4), tilt(0.0, 0.45)),
    "rare of 8": (600, 8, uneven(0.05, *[0.3] * 7), tilt(0.8)),
    "one class of 7": (450, 7, dirichlet(0.3), tilt(-0.5)),
    "two classes, one rare, shift": (500, 2, uneven(2.0, 0.4), tilt(0.0, 0.4)),
    "class shifts, m=6": (300, 6, dirichlet(0.4), shifts(11, 0.35, 6)),
    "temperature 1.4, m=3": (250, 3, dirichlet(0.6), temperature(1.4)),
    "temperature .78, m=5": (300, 5, dirichlet(0.3), temperature(0.78)),
    "temperature .75, m=2": (400, 2, dirichlet(0.6), temperature(0.75)),
    "bump, m=3": (400, 3, dirichlet(0.5), bump(0.75, 0.9, 0.15)),
    "top label oscillates, m=8": (300, 8, dirichlet(0.2), oscillate(0.25, 1.7)),
    "two classes, wave, Dir(1)": (300, 2, FLAT, wave(0.8, 1.3)),
    "M2 .06, m=5": (250, 5, dirichlet(0.3), first_class(0.06)),
    "M3 .05, m=8": (250, 8, dirichlet(0.2), uniform_noise(0.05)),
    "two of 5 swapped .17": (300, 5, dirichlet(0.3), swap(0.17)),
    "confident rows, m=12": (250, 12, dirichlet(0.15), above(0.85, 1.8)),
}
