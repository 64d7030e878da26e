"""A file that must be refused."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Malformed:
    """A file that nobody should get a number from."""

    name: str
    data: bytes | None
    message: str
    options: tuple[str, ...] = ()

    def write(self, folder: Path) -> list[str]:
        path = folder / self.name
        if self.data is not None:
            path.write_bytes(self.data)
        return [str(path), *self.options]
