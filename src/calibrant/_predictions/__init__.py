"""The checks of users' data: everything that a user passes in is checked here, once."""

from calibrant._output import publish
from calibrant._predictions._arrays import Precision, Source, read
from calibrant._predictions._as_predictions import as_predictions
from calibrant._predictions._blocks import RowSource, join, row_blocks_of
from calibrant._predictions._class_rates import (
    ClassRate,
    class_rates,
    class_sums,
    rates_of_sums,
)
from calibrant._predictions._clusters import code_clusters
from calibrant._predictions._event import (
    PREDICTED,
    event_classes,
    event_name,
    predicted_classes,
)
from calibrant._predictions._first_label import CERTAIN_GAIN
from calibrant._predictions._groups import position, row_blocks
from calibrant._predictions._indexes import check_indexes
from calibrant._predictions._logits import logits_to_probabilities, softmax
from calibrant._predictions._meaning import (
    EXPORT_PREFIXES,
    LOGIT_PREFIXES,
    PROB_FORMS,
    PROB_PREFIXES,
    class_in_columns,
    class_in_form,
    class_in_name,
    columns_of,
    match_columns,
    numbers_in,
    stands_alone,
)
from calibrant._predictions._messages import count, first_of, listed, name_text
from calibrant._predictions._names import checked_names
from calibrant._predictions._pair_weights import (
    effective_count,
    join_weight_sums,
    pair_weights,
    sums_of_others,
    weight_sums,
)
from calibrant._predictions._predictions import Predictions, assemble, replace_parts
from calibrant._predictions._probabilities import (
    check_probabilities,
    divide_nearly_unit_rows,
    divide_rounded_rows,
    levels_to_the_user,
)
from calibrant._predictions._row_scores import (
    brier_scores,
    hits,
    label_probabilities,
    log_losses,
    squared_norms,
)
from calibrant._predictions._soft_labels import refuse_soft

publish("calibrant", globals(), ["Predictions"])
publish("calibrant.streaming", globals(), ["RowSource"])
