"""Kernels of every kind with their literal definitions, for three and for two classes."""

import math

import numpy as np
from tests import oracles

from calibrant.kernels import (
    Classwise,
    FunctionKernel,
    Gaussian,
    Laplacian,
    MatrixKernel,
    RationalQuadratic,
)

A = [[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.7]]
RANK_ONE = [[1.0, 2.0, 0.5], [2.0, 4.0, 1.0], [0.5, 1.0, 0.25]]


def inner(p, q):
    return p @ q.T


def outer(p, q):
    return p[:, None, :, None] * q[None, :, None, :]


def scalar(k):
    return oracles.times_identity(k)


def dot(p, q):
    return math.fsum(map(math.prod, zip(p, q, strict=True)))


#: kernels that fit any number of classes
ANY = {
    "laplacian-tv": (Laplacian(0.3), scalar(oracles.laplacian(0.3))),
    "laplacian-euclidean": (
        Laplacian(0.3, metric="euclidean"),
        scalar(oracles.laplacian(0.3, oracles.euclidean)),
    ),
    "laplacian-hellinger": (
        Laplacian(0.3, metric="hellinger"),
        scalar(oracles.laplacian(0.3, oracles.hellinger)),
    ),
    "gaussian": (Gaussian(0.4), scalar(oracles.gaussian(0.4))),
    "gaussian-hellinger": (
        Gaussian(0.4, metric="hellinger"),
        scalar(oracles.gaussian(0.4, oracles.hellinger)),
    ),
    "rational-quadratic": (
        RationalQuadratic(0.4, alpha=0.7),
        scalar(oracles.rational_quadratic(0.4, 0.7)),
    ),
    "scaled": (2.5 * Laplacian(0.3), scalar(lambda p, q: 2.5 * oracles.laplacian(0.3)(p, q))),
    "sum": (
        Laplacian(0.2) + 0.5 * Gaussian(0.6),
        scalar(lambda p, q: oracles.laplacian(0.2)(p, q) + 0.5 * oracles.gaussian(0.6)(p, q)),
    ),
    "classwise-laplacian": (
        Classwise(Laplacian(0.25)),
        oracles.classwise(lambda t: math.exp(-t / 0.25)),
    ),
    "classwise-gaussian": (
        Classwise(Gaussian(0.5)),
        oracles.classwise(lambda t: math.exp(-(t**2) / (2 * 0.5**2))),
    ),
    "classwise-rational-quadratic": (
        Classwise(RationalQuadratic(0.5)),
        oracles.classwise(lambda t: 1 / (1 + t**2 / (2 * 0.5**2))),
    ),
    "function": (FunctionKernel(inner), scalar(dot)),
    "scaled-function": (3.0 * FunctionKernel(inner), scalar(lambda p, q: 3.0 * dot(p, q))),
    "matrix": (MatrixKernel(outer), lambda p, q: [[a * b for b in q] for a in p]),
    "scaled-matrix": (
        3.0 * MatrixKernel(outer),
        lambda p, q: [[3.0 * a * b for b in q] for a in p],
    ),
}

#: and those made for three classes
THREE = ANY | {
    "lifted": (Laplacian(0.3) * np.array(A), oracles.lift(oracles.laplacian(0.3), A)),
    "lifted-rank-one": (
        Gaussian(0.4) * np.array(RANK_ONE),
        oracles.lift(oracles.gaussian(0.4), RANK_ONE),
    ),
    "lifted-function": (FunctionKernel(inner) * np.array(A), oracles.lift(dot, A)),
    "mixed-sum": (
        Laplacian(0.3) * np.array(A) + Classwise(Laplacian(0.25)) + MatrixKernel(outer),
        oracles.plus(
            oracles.lift(oracles.laplacian(0.3), A),
            oracles.classwise(lambda t: math.exp(-t / 0.25)),
            lambda p, q: [[a * b for b in q] for a in p],
        ),
    ),
}
