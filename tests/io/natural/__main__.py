"""Write every file into a folder named after its title."""

import csv
import json
import sys
from pathlib import Path

from tests.io.natural import NATURAL


def main(folder):
    for title, file in NATURAL.items():
        path = Path(folder) / title.replace("/", "-").replace(" ", "_")
        path.mkdir(parents=True, exist_ok=True)
        file.write(path)
    with (Path(folder) / "index.csv").open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["title", "file", "needs"])
        rows.writerows(
            [title, file.name, json.dumps(file.needs)] for title, file in NATURAL.items()
        )


if __name__ == "__main__":
    main(sys.argv[1])
