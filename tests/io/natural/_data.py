"""Labels and probabilities that the files hold, each file some of them."""

import numpy as np

N = 60
ANIMALS = ("cat", "dog", "eel")
_rng = np.random.default_rng(5)


def _rows(n_classes):
    """Return labels and probabilities of two decimals that sum to exactly 1."""
    hundreds = np.array([_rng.multinomial(100, p) for p in _rng.dirichlet(np.ones(n_classes), N)])
    return _rng.integers(n_classes, size=N), hundreds / 100


Y3, P3 = _rows(3)
Y3[:3] = [0, 1, 2]
Y2, P2 = _rows(2)
Y2[:2], P2[:2] = [0, 1], [[0.7, 0.3], [0.4, 0.6]]
NAMES = np.array(ANIMALS)[Y3]
YES = np.array(["no", "yes"])[Y2]
TOP = P3.argmax(axis=1)
ANSWER3 = (P3, Y3)
ANSWER2 = (P2, Y2)


def p3(pattern, order=(0, 1, 2), names=ANIMALS):
    return {pattern.format(names[j]): P3[:, j] for j in order}


def p2(pattern, order=(0, 1), names=("no", "yes")):
    return {pattern.format(names[j]): P2[:, j] for j in order}


def scored(row, names=ANIMALS, class_key="label", prob_key="score"):
    """Return what a pipeline of Hugging Face returns: the likeliest class first."""
    order = np.argsort(-row)
    return [{class_key: names[j], prob_key: float(row[j])} for j in order]


def confident(hits, confidence):
    confidence = np.asarray(confidence, dtype=float)
    return np.column_stack([1 - confidence, confidence]), np.asarray(hits).astype(int)


STATED = np.array([0, 50, 90, 100])[_rng.integers(4, size=N)].astype(float)
HITS = TOP == Y3
CONFIDENCE = P3.max(axis=1)
LOGITS = np.log(np.maximum(P3, 1e-4)) + 2.0
SOFT = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
FEATURES = {"sepal_length": _rng.normal(5, 1, N), "is_new": Y2 % 2, "text": ["Good, or bad?"] * N}
TWO_TOP = P2.argmax(axis=1)
MARGIN = np.log(np.maximum(P2[:, 1], 1e-4) / np.maximum(P2[:, 0], 1e-4))
P_MARGIN = 1 / (1 + np.exp(-MARGIN))
PERCENT3 = {f"p_{name}": [f"{round(100 * v)}%" for v in P3[:, j]] for j, name in enumerate(ANIMALS)}
