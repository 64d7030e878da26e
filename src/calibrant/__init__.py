"""Test whether a probabilistic classifier is calibrated.

``__init__.pyi`` is the only list of the names. Type checkers read it, and so does `lazy_loader`,
which imports each name on first use, so that a program loads only what it needs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# a star import must not need PyTorch
__all__.remove("torch")

del lazy_loader
