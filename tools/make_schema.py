"""Write the JSON schema of the command line's documents: python tools/make_schema.py."""

from __future__ import annotations

from pathlib import Path

import calibrant.cli
from calibrant._output import to_json
from calibrant.cli._documents import schema

if __name__ == "__main__":
    path = Path(calibrant.cli.__file__).parent / "schema.json"
    path.write_text(to_json(schema()), "utf-8")
