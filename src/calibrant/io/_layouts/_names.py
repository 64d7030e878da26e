"""Common names of columns in real files, as normalized by `key`."""

from __future__ import annotations

import re
from collections.abc import Collection

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN = re.compile(r"[\s\-]+")
_UNIT = re.compile(r"\s*[(\[]%[)\]]$")


def key(name: str) -> str:
    """Return a name in lower case, with words joined by underscores, without a percent sign.

    Examples
    --------
    >>> key("True Label"), key("yTrue"), key(".pred_class"), key("Confidence (%)")
    ('true_label', 'y_true', '.pred_class', 'confidence')
    """
    return _BETWEEN.sub("_", _CAMEL.sub("_", _UNIT.sub("", name.strip()))).lower()


#: JSON objects with a predicted label and its score
_OUTPUTS = ("prediction", "pred", "output", "outputs", "result")
#: labels
LABEL_NAMES = ("label", "labels", "y_true", "target", "y", "class", "truth", "actual", "obs",
               "observed", "outcome", "ground_truth", "gt", "answer", "correct",
               "targets", "groundtruth", "gold", "gold_label", "true_label", "label_true",
               "true_class", "actual_label", "actual_class", "y_test", "y_actual", "is_correct",
               "event", "correct_answer", "correctness", "was_correct", "is_right",
               "exact_match", "ytrue", "ytest", "label_ids", "true_labels", "gold_labels",
               "gold_answer", "expected", "expected_answer", "expected_label", "actuals",
               "actual_value", "references", "_from_", "true_value", "y_obs",
               "observed_class", "observed_label", "actual_outcome", "reference_label",
               "target_class", "target_label", "real_label", "real_class")  # fmt: skip
#: labels that say whether an answer was right; its confidence is the probability of this
CORRECT_NAMES = ("correct", "is_correct", "correctness", "was_correct", "is_right", "exact_match")
#: other names of such labels, next to a confidence and without predicted labels
GRADE_NAMES = ("score", "grade", "pass", "passed", "success", "acc", "match", "verdict")
#: the probability of the positive class, or a matrix of all probabilities
PROB_NAMES = ("p", "prob", "probs", "proba", "probability", "probabilities", "y_prob", "y_proba",
              "y_score", "score", "y_pred_proba", "y_pred_prob", "pred_proba", "pred_prob",
              "predict_proba", "predicted_prob", "predicted_proba", "predicted_probability",
              "predicted_probabilities", "y_probs", "scores", "risk", "predicted_risk",
              "positive_probability", "prediction_probability", "class_probabilities",
              "predicted_label_probs", "pred_score", "predicted_score", "phat", "p_hat", "softmax",
              "scored_probabilities", "fitted", ".fitted", "fitted_values", "fitted.values", "oof",
              "oof_pred", "oof_preds",
              "oof_prediction", "oof_predictions", "oof_proba", "pd", "propensity",
              "propensity_score",
              *(f"{name}.score" for name in _OUTPUTS),
              *(f"{name}.scores" for name in _OUTPUTS))  # fmt: skip
#: the probability of the predicted label
CONFIDENCE_NAMES = ("confidence", "conf", "max_prob", "max_proba", "max_probability", "top_prob",
                    "top_probability", "prediction_confidence", "pred_confidence",
                    "confidence_score", "prediction_score", "stated_confidence",
                    "model_confidence", "verbal_confidence", "verbalized_confidence",
                    "predicted_confidence")  # fmt: skip
#: single numbers that may be the probability of the predicted label, if there is one
SCORE_NAMES = (*CONFIDENCE_NAMES, "score", "pred_score", "pred_prob", "predicted_prob",
               "predicted_score", "predicted_probability", "prob", "probability",
               "prediction_probability", "scored_probabilities",
               *(f"{name}.score" for name in _OUTPUTS))  # fmt: skip
#: predicted labels
PREDICTED_NAMES = ("prediction", "predictions", "predicted", "pred", "preds", "y_pred", "y_hat",
                   "yhat", "predicted_label", "predicted_class", "pred_label", "pred_class",
                   ".pred_class", "prediction_label", "predict", "output", "outputs", "argmax",
                   "top_label", "top_class", "model_answer", "y_predicted", "label_pred",
                   "predicted_answer", "scored_labels", "response", "picked", "best_answer",
                   "_into_", "completion",
                   *(f"{name}.label" for name in _OUTPUTS))  # fmt: skip
#: numbers that may be logits, if the user says so
MARGIN_NAMES = ("decision_function", "margin", "raw_margin", "raw_score", "linear_predictor", "lp",
                "decision_score", "decision_value")  # fmt: skip
LOGIT_NAMES = ("logit", "logits", "z", "raw_logits", "logprobs", "log_probs", "log_probabilities",
               "log_proba", "loglikelihoods", "log_likelihoods", *MARGIN_NAMES)  # fmt: skip
#: the log-probability of the answer, or of the positive class
LOG_NAMES = ("logprob", "log_prob", "logp", "log_p", "log_probability", "answer_logprob",
             "mean_logprob", "avg_logprob", "token_logprob", "logprob_answer")  # fmt: skip
#: suffixes of other numbers than probabilities: prob_std, p_lower
NO_CLASSES = ("std", "sd", "se", "stderr", "std_err", "std_error", "var", "variance", "lower",
              "upper", "lo", "hi", "lwr", "upr", "ci_lower", "ci_upper", "ci_low", "ci_high",
              "lower_ci", "upper_ci", "min", "max", "rank", "bin", "decile", "quantile", "entropy",
              "rounded", "binary", "value", "pvalue", "threshold", "id")  # fmt: skip
ONE_HOT_PREFIXES = ("y_", "label_", "true_", "target_", "onehot_", "y.", "label.")
#: names of pandas' index column
INDEX_NAMES = ("", "unnamed: 0", "__index_level_0__", "level_0")
#: columns that number or name the rows, if row sums can exclude that they are classes
ROW_NAMES = (*INDEX_NAMES, "index", "id", "row", "row_id", "sample", "sample_id", "uid", "uuid",
             ".row", "rowindex", "inst#", "inst", "rownames", "rn", "fold", "cv_fold", "row_ids",
             "row_index")  # fmt: skip
#: columns that may list the classes of every row
LISTS_OF_NAMES = ("labels", "classes", "class_names", "candidate_labels", "display_names")
#: columns with lists of the probabilities of these classes
_LISTS_OF_NUMBERS = ("scores", "probs", "probabilities", "confidences")


def numbers_beside(name: str, columns: Collection[str]) -> str | None:
    """Return the column of probabilities whose classes this column lists in every row, or None.

    Examples
    --------
    >>> numbers_beside("prediction.classes", ["prediction.classes", "prediction.scores"])
    'prediction.scores'
    """
    folder, point, last = name.rpartition(".")
    if key(last) not in LISTS_OF_NAMES:
        return None
    found = [folder + point + other for other in _LISTS_OF_NUMBERS]
    found = [other for other in found if other in columns]
    return found[0] if len(found) == 1 else None
