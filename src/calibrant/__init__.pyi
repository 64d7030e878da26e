from . import (
    binning as binning,
    demo as demo,
    effects as effects,
    errors as errors,
    estimators as estimators,
    io as io,
    kernels as kernels,
    methods as methods,
    models as models,
    plots as plots,
    recalibration as recalibration,
    streaming as streaming,
    testing as testing,
    torch as torch,
)
from ._calibration_test import (
    CalibrationTestResult as CalibrationTestResult,
    Cost as Cost,
    RowsNeeded as RowsNeeded,
    calibration_test as calibration_test,
    estimate_cost as estimate_cost,
    rows_needed as rows_needed,
)
from ._execution import Parallel as Parallel
from ._followup.compare import (
    ComparisonResult as ComparisonResult,
    Difference as Difference,
    Equivalence as Equivalence,
    compare as compare,
)
from ._followup.repair import (
    Candidate as Candidate,
    Change as Change,
    Check as Check,
    GroupChange as GroupChange,
    RepairResult as RepairResult,
    repair as repair,
)
from ._followup.where import (
    Finding as Finding,
    WhereResult as WhereResult,
    Witness as Witness,
    where as where,
)
from ._native import core_info as core_info, show_versions as show_versions
from ._output import __version__ as __version__
from ._predictions import Predictions as Predictions
from .estimators import (
    ECE as ECE,
    KCE as KCE,
    MCE as MCE,
    MMCE as MMCE,
    SKCE as SKCE,
    UCME as UCME,
    Estimator as Estimator,
    SmoothECE as SmoothECE,
)
from .report import Report as Report
