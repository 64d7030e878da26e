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
    calibration_test as calibration_test,
)
from ._calibration_test import (
    estimate_cost as estimate_cost,
)
from ._compare import ComparisonResult as ComparisonResult
from ._compare import compare as compare
from ._execution import Parallel as Parallel
from ._native import core_info as core_info
from ._output import __version__ as __version__
from ._output import show_versions as show_versions
from ._predictions import Predictions as Predictions
from ._repair import RepairResult as RepairResult
from ._repair import repair as repair
from ._where import WhereResult as WhereResult
from ._where import where as where
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
