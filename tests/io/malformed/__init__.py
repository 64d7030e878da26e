"""Files that must be refused: for each, the bytes, further options, and words of the message."""

from tests.io.malformed._binaries import BINARIES
from tests.io.malformed._texts import TEXTS

MALFORMED = TEXTS | BINARIES
