"""The command as a separate process, with an attacker's choice of streams, limits and signals."""

import resource
import shlex
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass

CALIBRANT = [sys.executable, "-m", "calibrant"]
GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Ended:
    """How a process ended: its code, what it said, its seconds and its largest memory."""

    code: int
    stdout: bytes
    stderr: bytes
    seconds: float


def run(*args, redirect="", address_space=None, file_size=None, timeout=60, **options) -> Ended:
    """Run the command; `redirect` is put behind it in a shell, such as ``>&-``."""
    command = shlex.join([*CALIBRANT, *map(str, args)])

    def limit():
        if address_space is not None:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        if file_size is not None:  # every file is on a disk that is full
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

    start = time.monotonic()
    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} {redirect}"],
        capture_output=True,
        preexec_fn=limit,
        timeout=timeout,
        check=False,
        **options,
    )
    return Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - start)


def peak(args) -> int:
    """Return the largest memory of a command, in bytes."""
    # the peak of the child alone: ru_maxrss would include what the parent held when it forked
    code = """
        import pathlib
        import re
        import sys
        from calibrant.cli import main
        try:
            main(sys.argv[1:])
        except SystemExit:
            status = pathlib.Path("/proc/self/status").read_text()
            print(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1])
    """
    line = [sys.executable, "-c", textwrap.dedent(code), *args]
    done = subprocess.run(line, capture_output=True, check=True)
    return 1024 * int(done.stdout.split()[-1])
