"""Running work on threads or an executor, with shared data, checkpoints and progress."""

from calibrant._execution._blas import single_threaded_blas
from calibrant._execution._checkpoint import Checkpoint, resumable
from calibrant._execution._computation import computation
from calibrant._execution._limits import Limits, limited, limits
from calibrant._execution._parallel import Parallel, count_jobs, in_slices, run, spans
from calibrant._execution._progress import Progress, Stages, Ticker
from calibrant._execution._shared_run import run_shared
from calibrant._execution._threads import still_wanted
from calibrant._output import publish

publish("calibrant", globals(), ["Parallel"])
