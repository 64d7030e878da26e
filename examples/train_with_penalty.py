"""
PyTorch: train with a calibration penalty
=========================================

Few rows and many features make a network over-confident. Adding the unbiased SKCE of every batch to
the cross entropy keeps its probabilities closer to the truth on data it has not seen.
"""

import numpy as np
import torch
from torch import nn

import calibrant as cal
from calibrant.effects import accuracy, temperature
from calibrant.torch import SKCELoss


def sample(n_samples: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return features and labels of three overlapping classes; eight features say nothing."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n_samples)
    features = rng.normal(size=(n_samples, 10))
    features[:, :2] += 1.2 * np.array([[0, 0], [1, 0], [0, 1]])[labels]
    return torch.tensor(features, dtype=torch.float32), torch.tensor(labels)


def train(factor: float, steps: int = 200, seed: int = 0) -> nn.Module:
    """Return a network trained with cross entropy + factor·SKCE."""
    torch.manual_seed(seed)
    features, labels = sample(400, seed)
    network = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    # A fixed bandwidth saves the time to find the median in every batch.
    penalty = SKCELoss(cal.kernels.Laplacian(0.5), inputs="logits")
    for _ in range(steps):
        batch = torch.randperm(len(labels))[:128]
        logits = network(features[batch])
        loss = nn.functional.cross_entropy(logits, labels[batch])
        if factor:
            loss = loss + factor * penalty(logits, labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network


def judge(network: nn.Module) -> cal.Predictions:
    """Return the predictions for rows that were not trained on."""
    features, labels = sample(2000, seed=1000)
    with torch.no_grad():
        return cal.Predictions.from_logits(labels, network(features))


# %%
# Train without and with the penalty, and compare on fresh rows.

models = {name: judge(train(factor)) for name, factor in (("plain", 0.0), ("penalty", 30.0))}
for name, predictions in models.items():
    print(name, f"SKCE {cal.SKCE()(predictions):.4f}", sep=", ")
    print(f"  {temperature(predictions)}")
    print(f"  {accuracy(predictions)}")
print(cal.compare(models, rng=0).verdict)
y_true, y_prob = models["plain"].y_true, {name: model.y_prob for name, model in models.items()}
cal.plots.ReliabilityComparisonDisplay.from_predictions(y_true, y_prob, rng=0).plot()
