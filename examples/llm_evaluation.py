"""
Stated confidence of a language model
=====================================

A language model answers questions and says how sure it is, in round numbers: 50 %, 90 %, 100 %.
Each question was asked three times. When it says 90 %, is it right 90 % of the time?
"""

import numpy as np

import calibrant as cal

rng = np.random.default_rng(0)
questions, tries = 200, 3
question = np.repeat(np.arange(questions), tries)
difficulty = np.repeat(rng.normal(size=questions), tries)
knowledge = 1.0 / (1.0 + np.exp(-(0.8 - 1.2 * difficulty)))
# it knows roughly what it knows, says so in round numbers, and is too sure of itself
felt = np.clip(knowledge + 0.15 + 0.1 * rng.normal(size=len(knowledge)), 0.0, 1.0)
grid = np.array([0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0])
confidence = grid[np.abs(felt[:, None] - grid).argmin(axis=1)]
correct = rng.random(len(knowledge)) < knowledge

# %%
# The answers to one question depend on each other, so the question is the cluster. A wrong answer
# with a stated confidence of 100 % should be impossible, and the result points it out.

result = cal.calibration_test(correct, confidence, clusters=question, rng=0)
print(result)

# %%
# Tied confidences are fine: each stated number is one point.

display = cal.plots.ReliabilityDisplay.from_predictions(
    correct, confidence, clusters=question, rng=0
)
print(display.describe())
display.plot()
