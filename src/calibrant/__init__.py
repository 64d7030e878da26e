"""Tell whether a probabilistic classifier can be trusted.

The names are listed once, in ``__init__.pyi``, for type checkers and for `lazy_loader`, which
loads each one when it is first asked for: a program pays for what it uses.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# a star import must not need PyTorch
__all__.remove("torch")

del lazy_loader
