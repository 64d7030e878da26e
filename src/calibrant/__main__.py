"""Run the command ``calibrant`` as ``python -m calibrant``."""

from calibrant.cli import main

if __name__ == "__main__":
    main()
