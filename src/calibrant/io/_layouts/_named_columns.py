"""One column per class with similar names: p_cat, .pred_cat, P(cat), cat_prob, LABEL_0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from calibrant._predictions import (
    EXPORT_PREFIXES,
    LOGIT_PREFIXES,
    PROB_FORMS,
    PROB_PREFIXES,
    class_in_form,
    class_in_name,
)
from calibrant.errors import InputError, Problem
from calibrant.io._errors import listed
from calibrant.io._layouts._class_columns import classes_around_labels, sum_to_one
from calibrant.io._layouts._found import Found
from calibrant.io._layouts._names import (
    CONFIDENCE_NAMES,
    NO_CLASSES,
    PREDICTED_NAMES,
    PROB_NAMES,
    key,
)
from calibrant.io._layouts._sight import Sight
from calibrant.io._options import LOGITS

_SINGLE = (*PROB_NAMES, *CONFIDENCE_NAMES, *PREDICTED_NAMES)


def named_columns(sight: Sight) -> list[Found]:
    """Find columns that begin with p_, prob_ or proba_."""
    names = [name for name in sight.free if key(name) not in PROB_NAMES]
    groups = by_prefix(_possible(sight, names), PROB_PREFIXES)
    return [_found(sight, group, class_in_name(group, PROB_PREFIXES)) for group in groups.values()]


def exported_columns(sight: Sight) -> list[Found]:
    """Find several columns named as by other programs."""
    return [found for found in exported(sight) if len(found.columns) > 1]


def exported_column(sight: Sight) -> list[Found]:
    """Find a single such column, whose name contains the positive class."""
    found = [found for found in exported(sight) if len(found.columns) == 1]
    return [one for one in found if not sight.look(one.columns[0]).is_binary]


def further_column(sight: Sight) -> list[Found]:
    """Find a column such as prob_error, if there is nothing else."""
    names = [name for name in _further_numbers(sight) if not sight.look(name).is_text]
    return [Found((name,)) for name in names]


def logit_columns(sight: Sight) -> list[Found]:
    """Find columns that begin with logit_ or log_prob_; for z_ the user must say logits."""
    groups = by_prefix(sight.free, LOGIT_PREFIXES)
    if not sight.options.logits:
        if "z_" in groups:
            raise InputError(
                Problem.COLUMNS,
                f"there are no probabilities, but columns of logits ({listed(groups['z_'])})",
                source=sight.table.name,
                remedy=("pass ", LOGITS),
            )
        # one log-probability is not a logit
        groups = {p: g for p, g in groups.items() if len(g) > 1 or p.startswith("logit")}
    names = [(group, class_in_name(group, LOGIT_PREFIXES)) for group in groups.values()]
    return [Found(tuple(group), classes, logits=True) for group, classes in names]


def by_prefix(names: Sequence[str], prefixes: Sequence[str]) -> dict[str, list[str]]:
    """Group names by their prefix."""
    groups: dict[str, list[str]] = {}
    for name in names:
        for prefix in prefixes:
            if name.lower().startswith(prefix) and len(name) > len(prefix):
                groups.setdefault(prefix, []).append(name)
                break
    return groups


def exported(sight: Sight) -> list[Found]:
    """Find columns named as by other programs, grouped by the shared part of the names."""
    names = [name for name in sight.free if key(name) not in _SINGLE]
    names = _possible(sight, names)
    groups = by_prefix(names, EXPORT_PREFIXES)
    found = [_found(sight, group, class_in_name(group, EXPORT_PREFIXES))
             for group in groups.values()]  # fmt: skip
    used = {name for group in groups.values() for name in group}
    for form in PROB_FORMS:
        group = [name for name in names if name not in used and class_in_form([name], form)]
        if group:
            found.append(_found(sight, group, class_in_form(group, form)))
            used |= set(group)
    return found


def _found(sight: Sight, group: Sequence[str], classes: dict[str, str]) -> Found:
    if sight.label_values and sight.label_values <= set(group):
        classes = {name: name for name in group}  # the names are themselves classes
    elif not any(label[:1].isdigit() or label in classes.values() for label in sight.label_values):
        classes = classes_around_labels(sight.label_values, group) or classes
    if not (sight.options.logits or sight.options.normalize):
        group = _distribution(sight, group, classes)
        classes = {name: classes[name] for name in group if name in classes}
    return Found(tuple(group), classes, logits=sight.options.logits)


def _distribution(sight: Sight, group: Sequence[str], classes: Mapping[str, str]) -> Sequence[str]:
    """Leave out columns named like classes if the sampled rows sum to 1 without them."""
    seen = [name for name in group if classes.get(name) in sight.label_values]
    is_whole = len({len(sight.look(name).numbers) for name in group}) == 1  # no cells are missing
    if not (is_whole and 1 < len(seen) < len(group)):
        return group
    return seen if sum_to_one(sight, seen) and not sum_to_one(sight, group) else group


def _possible(sight: Sight, names: Sequence[str]) -> list[str]:
    """Leave out columns whose cells are class names, and columns that cannot be probabilities."""
    out = {*sight.table.lists, *_further_numbers(sight)}
    return [name for name in names if name not in out and not _holds_labels(sight, name)]


def _further_numbers(sight: Sight) -> list[str]:
    """Return columns such as prob_std, unless they are labels or among columns that sum to 1."""
    known = {key(label) for label in sight.label_values}
    groups = by_prefix(sight.free, (*PROB_PREFIXES, *EXPORT_PREFIXES))
    return [
        name
        for group in groups.values()
        for name in group
        if _rest(name) in NO_CLASSES
        and _rest(name) not in known
        and not (len(group) > 1 and sum_to_one(sight, group))
    ]


def _rest(name: str) -> str:
    """Return the part of a name after a probability prefix."""
    starts = (p for p in (*PROB_PREFIXES, *EXPORT_PREFIXES) if name.lower().startswith(p))
    return key(name[len(next(starts, name)) :])


def _holds_labels(sight: Sight, name: str) -> bool:
    look = sight.look(name)
    if not look.is_text:
        return False
    is_predicted = key(name) in PREDICTED_NAMES
    return is_predicted or {text.strip() for text in look.texts} <= sight.label_values
