"""Tensors of libraries that are not installed."""


class OnlyDLPack:
    """A tensor of a library that speaks DLPack and nothing else."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()
