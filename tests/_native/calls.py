"""One valid call of every native routine, as keyword arguments."""

import numpy as np

METRICS, PROFILES, CLASSES, REPLICATES = 2, 3, 3, 64


def calls():
    """Return the calls by name; their arrays are fresh, to be filled and spoiled."""
    given = _Given()
    parts = (_pairs, _rows, _label_sets, _tables, _lines, _draws, _bins)
    return {name: call for part in parts for name, call in part(given).items()}


class _Given:
    """Arrays and numbers that several calls share."""

    def __init__(self):
        rng = self.rng = np.random.default_rng(0)
        n, k = self.n, self.k = 5, 4
        self.p, self.q = rng.dirichlet(np.ones(CLASSES), n), rng.dirichlet(np.ones(CLASSES), k)
        self.v, self.w = rng.normal(size=(n, 2)), rng.normal(size=(k, 2))
        self.line, self.ones = np.sort(rng.random(n)), np.ones(n)
        self.codes = rng.integers(CLASSES, size=n)
        self.labels_i = rng.integers(CLASSES, size=(n, REPLICATES)).astype(np.uint8)
        self.labels_j = rng.integers(CLASSES, size=(k, REPLICATES)).astype(np.uint16)
        self.kernel = {"metric": 0, "profile": 1}
        self.radial = self.kernel | {"rate": 1.5}
        self.draw = {"seed": 1, "stream": 2, "first_row": 3, "first_replicate": 4}
        self.bins = np.array([0, 1, 1, 0, 2])


def _pairs(d):
    """Sums over pairs of rows, and distances."""
    pair = {"xi": d.p, "vi": d.v, "xj": d.q, "vj": d.w, "triangle": False}
    return {
        "pair_sum": pair | d.radial | {"threads": 2},
        "row_sums": pair | d.radial | {"out_i": np.zeros(d.n), "out_j": np.zeros(d.k)},
        "gram": {"xi": d.p, "xj": d.q} | d.radial | {"out": np.zeros((d.n, d.k))},
        "apply": {"xi": d.p, "xj": d.q, "vj": d.w} | d.radial | {"out": np.zeros((d.n, 2))},
        "many_pair_sums": {"x": np.stack([d.p, d.p]), "v": np.stack([d.v, d.v])}
        | d.kernel
        | {"rates": np.ones(2), "out": np.zeros(2)},
        "block_residual_sums": {"x": d.p, "p": d.p, "codes": d.codes, "weights": d.ones, "size": 2}
        | d.radial
        | {"out": np.zeros(2)},
        "count_distances": {"xi": d.p, "xj": d.q, "metric": 0, "factor": 0.5, "triangle": False}
        | {"prefix": 0, "shift": 63, "finer": 47, "counts": np.zeros(1 << 16, np.int64)},
        "collect_distances": {"xi": d.p, "xj": d.q, "metric": 0, "factor": 0.5, "triangle": False}
        | {"prefix": 0, "shift": 63, "beyond": 1.0, "out": np.zeros(d.n * d.k)},
        "label_pair_sums": {
            "xi": d.p,
            "wi": d.ones,
            "pi": d.p,
            "xj": d.q,
            "wj": np.ones(d.k),
            "pj": d.q,
        }
        | d.kernel
        | {
            "rates": np.ones(2),
            "labels_i": d.labels_i,
            "labels_j": d.labels_j.astype(np.uint8),
            "triangle": False,
            "count": REPLICATES - 3,
            "agree": np.zeros((2, REPLICATES)),
            "cross": np.zeros((2, REPLICATES)),
            "constant": np.zeros(2),
        },
        "agreeing_sums": {
            "values": np.ones((d.n, d.k)),
            "labels_i": d.labels_i.astype(np.uint16),
            "labels_j": d.labels_j,
            "triangle": False,
            "count": REPLICATES - 3,
            "out": np.zeros(REPLICATES),
        },
    }


def _rows(d):
    """What is made of every row."""
    return {
        "row_sums_and_range": {"a": d.p, "sums": np.zeros(d.n)},
        "exp": {"x": -d.line, "out": np.zeros(d.n)},
        "log": {"x": d.line, "out": np.zeros(d.n)},
        "tempered_rows": {
            "p": d.p,
            "rows": np.array([4, 0, 2]),
            "beta": 1.5,
            "floor": 1e-6,
            "relative": True,
            "out": np.zeros((3, 9)),
        },
        "shifted_rows": {
            "p": d.p,
            "weights": d.ones,
            "floor": 1e-6,
            "slope": 1.5,
            "intercepts": np.arange(3.0),
            "out": np.zeros((d.n, 5)),
            "totals": np.zeros(CLASSES),
            "crosses": np.zeros(CLASSES),
            "roots": np.zeros((d.n, CLASSES)),
        },
        "odds_sums": {
            "p": d.p,
            "labels": d.codes,
            "weights": d.ones,
            "floor": 1e-6,
            "factors": d.ones[:CLASSES],
            "out": np.zeros((5, CLASSES)),
        },
        "center_rows": {
            "p": d.p,
            "values": d.p,
            "noise": 1e-15,
            "centered": np.zeros((d.n, CLASSES)),
            "variance": np.zeros(d.n),
        },
        "sums_of_others": {"p": d.p, "chosen": d.codes, "out": np.zeros(d.n)},
        "fourier_features": {
            "projections": d.v,
            "rates": np.ones(3),
            "scale": 1.0,
            "out": np.zeros((d.n, 3, 2, 2)),
        },
    }


def _label_sets(d):
    """Sums over rows for many label sets."""
    return {
        "score_sums": {"scores": d.p, "labels": d.labels_i, "out": np.zeros(REPLICATES)},
        "class_score_sums": {
            "scores": d.p,
            "labels": d.labels_i,
            "out": np.zeros((REPLICATES, CLASSES)),
        },
        "feature_sums": {
            "features": d.v[None],
            "labels": d.labels_i,
            "out": np.zeros((REPLICATES, 1, CLASSES, 2)),
        },
        "few_class_sums": {
            "features": d.rng.normal(size=(CLASSES - 1, d.n, 2)),
            "labels": d.labels_i,
            "out": np.zeros((REPLICATES, CLASSES - 1, 2)),
        },
        "cell_sums": {
            "cells": d.rng.integers(7, size=(d.n, CLASSES)).astype(np.uint16),
            "weights": d.ones,
            "labels": d.labels_i,
            "out": np.zeros((REPLICATES, CLASSES, 7)),
        },
    }


def _tables(d):
    """Sums over cells, and what is made of them."""
    return {
        "own_cell_sums": {
            "cells": d.rng.integers(7, size=(d.n, CLASSES)).astype(np.uint16),
            "values": d.p,
            "weights": d.ones,
            "out": np.zeros((CLASSES, 7)),
        },
        "bucket_sums": {
            "buckets": d.rng.integers(7, size=d.n).astype(np.uint16),
            "values": d.p,
            "weights": d.ones,
            "out": np.zeros((7, CLASSES)),
        },
        "squared_deviations": {
            "tables": np.ones((5, CLASSES, 7)),
            "expected": np.zeros((CLASSES, 7)),
            "out": np.zeros((5, CLASSES)),
        },
        "cell_pair_sums": {
            "tables": np.ones((5, CLASSES, 7)),
            "expected": np.zeros((CLASSES, 7)),
            "decays": np.ones(3),
            "out": np.zeros((5, 3)),
        },
    }


def _lines(d):
    """Sums on a line."""
    return {
        "line_label_sums": {
            "x": d.line,
            "hit": d.ones,
            "miss": d.ones,
            "order": np.arange(d.n)[::-1].copy(),
            "c": 1,
            "rate": 1.0,
            "labels": d.labels_i,
            "out": np.zeros(REPLICATES),
        },
        "line_sum": {"x": d.line, "v": d.v, "rate": 1.0},
        "line_apply": {"x": d.line, "v": d.v, "rate": 1.0, "out": np.zeros((d.n, 2))},
        "line_weighted_sums": {"x": d.line, "v": d.ones, "w": d.v, "rate": 1.0, "out": np.zeros(2)},
    }


def _draws(d):
    """Label sets that are drawn."""
    return {
        "coupled_labels": {
            "y_prob": d.p,
            "codes": np.arange(d.n, dtype=np.uint64) // 2,
            "order": np.arange(d.n),
            "out": np.full((REPLICATES, d.n), 9, np.uint8),
            "coupling": 0.5,
            "shared_seed": 7,
        }
        | d.draw,
        "resample_labels": {"y_prob": d.p, "out": np.zeros((6, d.n), np.uint8)} | d.draw,
        "resample_codes": {
            "y_prob": d.p,
            "out": np.zeros((d.n, 8), np.uint8),
            "column": 1,
            "count": 6,
        }
        | d.draw,
        "resample_counts": {
            "y_prob": np.stack([d.p[:, :2], d.p[:, 1:3]]),
            "ids": d.rng.integers(4, size=(2, d.n)),
            "out": np.zeros((2, 6, 4), np.int64),
        }
        | d.draw,
        "resample_uniforms": {"out": np.zeros((6, d.n))} | d.draw,
    }


def _bins(d):
    """Bins and their errors."""
    return {
        "binning_uniform": {"p": d.p[None], "n_bins": 10, "ids": np.zeros((1, d.n), np.int64)},
        "binning_median_variance": {
            "p": d.p[None],
            "min_size": 2,
            "max_bins": 0,
            "ids": np.zeros((1, d.n), np.int64),
        },
        "binning_sums": {
            "p": d.p,
            "y": d.codes,
            "w": d.ones,
            "ids": d.bins,
            "sum_p": np.zeros((3, CLASSES)),
            "sum_y": np.zeros((3, CLASSES)),
            "weight": np.zeros(3),
        },
        "binning_errors": {
            "p": np.stack([d.p, d.p]),
            "y": np.stack([d.codes, d.codes]),
            "ids": np.stack([d.bins, d.bins]),
            "distance": 0,
            "norm": 1,
            "out": np.zeros(2),
        },
        "binning_label_errors": {
            "mean": d.q[:3].copy(),
            "weight": np.ones(3),
            "ids": d.bins,
            "w": d.ones,
            "labels": d.labels_i.T[:2].copy(),
            "distance": 0,
            "norm": 1,
            "out": np.zeros(2),
        },
        "consistency_errors": {
            "p": d.p,
            "cells": d.bins,
            "min_size": 2,
            "seed": 7,
            "out": np.zeros((2, 9)),
        },
    }
