"""Where a command computes, on threads or a Dask cluster, and its checkpoint."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import click

from calibrant.cli._exit import Failure

#: seconds to wait for a scheduler
PATIENCE = 20


@dataclass(frozen=True)
class Engine:
    """The user's options about where to compute and what to keep."""

    engine: str | None
    scheduler: str | None
    checkpoint: str | None = None
    resume: str | None = None

    @property
    def kept_in(self) -> str | None:
        """The checkpoint: a file that does not exist yet or, with --resume, one that does."""
        if self.checkpoint is not None and self.resume is not None:
            raise click.UsageError("--checkpoint starts a file and --resume continues one: use one")
        # unlike Path.exists, no error if a name is too long
        if self.checkpoint is not None and os.path.exists(self.checkpoint):  # noqa: PTH110
            raise click.UsageError(
                f"--checkpoint {self.checkpoint}: the file exists. --resume {self.checkpoint} "
                "continues it"
            )
        if self.resume is not None and not os.path.isfile(self.resume):  # noqa: PTH113
            raise click.UsageError(
                f"--resume {self.resume}: there is no such file. --checkpoint {self.resume} "
                "starts one"
            )
        return self.checkpoint or self.resume

    @contextmanager
    def executor(self, jobs: int | None) -> Iterator[Any]:
        """Yield a Dask client, or None for threads."""
        if self.engine == "threads" and self.scheduler is not None:
            raise click.UsageError("--scheduler needs --engine dask")
        if self.engine != "dask" and self.scheduler is None:
            yield None
            return
        import logging  # slow to import, which --help would notice

        try:
            import dask
            import distributed
        except ImportError:
            raise Failure(
                "--engine dask needs dask, which is not installed. Install it with: python -m pip "
                "install dask distributed; or leave --engine out"
            ) from None
        dask.config.set({"distributed.logging.distributed": "critical"})
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        with _cluster(distributed, self.scheduler, jobs) as client:
            yield client


@contextmanager
def _cluster(distributed: Any, scheduler: str | None, jobs: int | None) -> Iterator[Any]:
    if scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout=PATIENCE)
        except (OSError, TimeoutError, ValueError, MemoryError) as error:  # from any server
            raise Failure(
                f"--scheduler {scheduler}: no Dask scheduler answers there within {PATIENCE} s. "
                "Start one with `dask scheduler`, and check address and port"
            ) from error
        with client:
            yield client
        return
    import logging

    from calibrant._execution import count_jobs

    try:
        # do not listen beyond this machine, and open no dashboard
        local = distributed.LocalCluster(
            n_workers=count_jobs(jobs),
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            worker_dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0", "dashboard": False},
            silence_logs=logging.CRITICAL,
        )
    except (OSError, RuntimeError, TimeoutError) as error:
        raise Failure(
            f"the workers of --engine dask cannot be started: {error}. Make room in the folder of "
            "temporary files (TMPDIR) and in memory, or leave --engine out"
        ) from error
    with local as cluster, distributed.Client(cluster) as client:
        yield client


_OPTIONS = (
    click.option("--engine", type=click.Choice(["threads", "dask"]), help="Where to compute: "
                 "threads of this process (default), or a Dask cluster. No result depends on it."),
    click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler, such as "
                 "tcp://host:8786; without it --engine dask starts workers on this machine."),
    click.option("--checkpoint", metavar="FILE", help="Save finished work to a new file."),
    click.option("--resume", metavar="FILE", help="Resume from the file that --checkpoint wrote."),
)  # fmt: skip


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add all options of `Engine` to a command, passed as the argument `engine`."""
    return _with_options(function, [field.name for field in fields(Engine)])


def place_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `Engine` about where to compute, without those about what to keep."""
    return _with_options(function, ["engine", "scheduler"])


def _with_options(function: Callable[..., Any], names: list[str]) -> Callable[..., Any]:

    @wraps(function)
    def collected(**values: Any) -> Any:
        engine = Engine(**{name: values.pop(name) for name in names})
        return function(engine=engine, **values)

    command: Callable[..., Any] = collected
    for option in reversed(_OPTIONS[: len(names)]):
        command = option(command)
    return command
