from . import (
    binning as binning,
)
from . import (
    demo as demo,
)
from . import (
    effects as effects,
)
from . import (
    errors as errors,
)
from . import (
    estimators as estimators,
)
from . import (
    io as io,
)
from . import (
    kernels as kernels,
)
from . import (
    methods as methods,
)
from . import (
    models as models,
)
from . import (
    plots as plots,
)
from . import (
    recalibration as recalibration,
)
from . import (
    streaming as streaming,
)
from . import (
    testing as testing,
)
from . import (
    torch as torch,
)
from ._calibration_test import (
    CalibrationTestResult as CalibrationTestResult,
)
from ._calibration_test import (
    Cost as Cost,
)
from ._calibration_test import (
    RowsNeeded as RowsNeeded,
)
from ._calibration_test import (
    calibration_test as calibration_test,
)
from ._calibration_test import (
    estimate_cost as estimate_cost,
)
from ._calibration_test import (
    rows_needed as rows_needed,
)
from ._execution import Parallel as Parallel
from ._followup.compare import ComparisonResult as ComparisonResult
from ._followup.compare import compare as compare
from ._followup.repair import RepairResult as RepairResult
from ._followup.repair import repair as repair
from ._followup.where import WhereResult as WhereResult
from ._followup.where import where as where
from ._native import core_info as core_info
from ._native import show_versions as show_versions
from ._output import __version__ as __version__
from ._predictions import Predictions as Predictions
from .estimators import (
    ECE as ECE,
)
from .estimators import (
    KCE as KCE,
)
from .estimators import (
    MCE as MCE,
)
from .estimators import (
    MMCE as MMCE,
)
from .estimators import (
    SKCE as SKCE,
)
from .estimators import (
    UCME as UCME,
)
from .estimators import (
    Estimator as Estimator,
)
from .estimators import (
    SmoothECE as SmoothECE,
)
from .report import Report as Report
