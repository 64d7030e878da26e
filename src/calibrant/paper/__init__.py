"""The experiments of Widmann, Lindsten and Zachariah (2019), reproduced: figures and tables.

Every experiment has a folder with a checkpoint of the finished parts, for resuming an interrupted
run, and with tables (CSV) and figures (SVG and PDF). The command ``calibrant paper`` runs the
experiments; the page "The paper, reproduced" shows the results.
"""

from calibrant.paper._deviations import Deviations
from calibrant.paper._error_figures import error_figures
from calibrant.paper._errors import ERROR_RUNS, Cells, error_cells
from calibrant.paper._figure import PaperFigure
from calibrant.paper._gallery import SUMMARY, write_gallery
from calibrant.paper._grid import Key
from calibrant.paper._network_figures import best_by, network_figures
from calibrant.paper._network_tables import (
    Difference,
    differences,
    published_tables,
    write_network_tables,
)
from calibrant.paper._networks import NetworkResult, find_networks, run_networks
from calibrant.paper._published import (
    published_curves,
    published_histograms,
    published_means,
    published_timings,
)
from calibrant.paper._run import check_free
from calibrant.paper._simulation import Plan
from calibrant.paper._tables import write_curve_table, write_error_tables, write_timing_tables
from calibrant.paper._tests import TEST_RUNS
from calibrant.paper._tests_curves import Curves, error_curves, model_lines
from calibrant.paper._tests_figures import curve_figures
from calibrant.paper._timing_figures import timing_figure, work_precision_figure
from calibrant.paper._timings import Times, run_timings
from calibrant.paper._work_precision import run_work_precision
