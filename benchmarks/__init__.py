"""Benchmarks of speed and memory: ``python -m benchmarks`` prints a table of ratios."""
