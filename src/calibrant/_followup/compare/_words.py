"""The description of a comparison: which differences the data show, and how large they are."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from calibrant._followup.compare._difference import HEADLINE, MEASURES, TITLES, UNITS, Difference
from calibrant._output import (
    Section,
    Table,
    counted,
    data_text,
    estimate_text,
    facts,
    number,
    percent,
    pvalue_cell,
    pvalue_text,
)
from calibrant.effects import Effect

if TYPE_CHECKING:
    from calibrant._followup.compare._result import ComparisonResult

_BETTER = {HEADLINE: "better calibrated", "accuracy": "more accurate"}
#: most pairs that the verdict on several models names
_FEW = 2
#: errors that a repair leaves are reported up to this p-value
_LEFT_ALPHA = 0.01


def verdict(result: ComparisonResult) -> str:
    """Describe which model is better calibrated, by how much, and the share of its loss."""
    differences = _of(result, HEADLINE)
    if len(differences) > 1:
        return _verdict_of_many(result, differences)
    [one] = differences
    if _is_same(one):
        return f"{one.first} and {one.second} predict the same."
    if one.better is None:
        start = f"The data do not show which of {one.first} and {one.second} is better calibrated"
        if math.isnan(one.estimate):
            return f"{start}."
        return f"{start}: their calibration loss differs by {_size(one)}{_equivalence(one)}."
    ahead = one if one.better == one.second else one.swapped()
    if _is_outweighed(result, one):
        return (
            f"The data do not show which of {one.first} and {one.second} is better calibrated: a "
            f"repair would save {ahead.first} {_size(ahead)} more{_pvalue(one, 1)}, but leave "
            f"{ahead.second} local errors that cost about {number(_left(result, ahead.second))}."
        )
    loss = result.models[ahead.first]["log_loss"].estimate
    share = f", {percent(ahead.estimate / loss, 2)} of its log loss" if math.isfinite(loss) else ""
    return (
        f"{ahead.second} is better calibrated than {ahead.first}: miscalibration costs "
        f"{ahead.first} {_size(ahead)} more{share}{_pvalue(one, 1)}{_equivalence(one)}."
    )


def highlights(result: ComparisonResult) -> tuple[str, ...]:
    """Describe whether the difference matters or, with several pairs, each pair's calibration."""
    differences = _of(result, HEADLINE)
    if len(differences) > 1:
        return tuple(_calibration_sentence(result, d, len(differences)) for d in differences)
    [one] = differences
    if _is_same(one):
        return ()
    return (_overall(one, _of(result, "log_loss")[0]), _repaired(_of(result, "refinement")[0]))


def notes(result: ComparisonResult) -> tuple[str, ...]:
    """Describe undecided comparisons and caveats."""
    return (
        *_equal_notes(result),
        *_opposed_notes(result),
        *_left_notes(result),
        *_zero_notes(result),
        *(
            f"{d.first} and {d.second}, {TITLES[d.measure]}: {d.note}."
            for d in result.differences
            if d.note and not _is_same(d)
        ),
    )


def sections(result: ComparisonResult) -> tuple[Section, ...]:
    """Return the sections: calibration, every difference, how models were compared, and notes."""
    noted = [Section("Notes:", result.notes)] if result.notes else []
    said = [Section(sentences=result.highlights)] if result.highlights else []
    one_pair = len(_of(result, HEADLINE)) == 1
    tables = [Section(table=_pair_table(result))] if one_pair else _tables_of_many(result)
    return (*said, *tables, Section(table=facts(_facts(result))), *noted)


def _margins(result: ComparisonResult) -> dict[str, float]:
    """Return the margins of the measures that have one."""
    return {d.measure: d.equivalence.margin for d in result.differences if d.equivalence}


def _of(result: ComparisonResult, measure: str) -> list[Difference]:
    return [d for d in result.differences if d.measure == measure]


def _is_same(d: Difference) -> bool:
    return d.standard_error == 0.0


def _verdict_of_many(result: ComparisonResult, differences: list[Difference]) -> str:
    told = [d for d in differences if d.better is not None and not _is_outweighed(result, d)]
    wins = Counter(d.better for d in told)
    others = len(result.models) - 1
    best = [name for name, count in wins.items() if count == others > 0]
    text = (
        f"The data show a difference in calibration for {len(told)} of {len(differences)} pairs of "
        "models"
    )
    if result.reference is None and best:
        return f"{best[0]} is better calibrated than each of the {others} others. {text}."
    ahead_of_all = _leaders(result, told) if result.reference is None else []
    if ahead_of_all:
        names = f"{', '.join(ahead_of_all[:-1])} and {ahead_of_all[-1]}"
        rest = len(result.models) - len(ahead_of_all)
        than = "the other" if rest == 1 else "each of the others"
        these = "these two" if len(ahead_of_all) == 2 else "them"
        return (
            f"{names} are better calibrated than {than}; the data show no difference between "
            f"{these}."
        )
    if result.reference is None:
        pairs = ", ".join(f"{d.better} is better than {d.worse}" for d in told)
        named = f" ({pairs})" if 1 <= len(told) <= _FEW else ""
        return f"{text}{named}; none is shown to be better calibrated than all others."
    ahead = [str(d.better) for d in told if d.better != result.reference]
    named = f"better calibrated than {result.reference}: {', '.join(ahead) or 'none shown'}"
    return f"{text}; {named}."


def _leaders(result: ComparisonResult, told: list[Difference]) -> list[str]:
    """Return the models that beat all others but not each other."""
    pairs = {(d.better, d.worse) for d in told}
    names = list(result.models)
    beaten = {worse for _, worse in pairs}
    leaders = [name for name in names if name not in beaten]
    rest = [name for name in names if name in beaten]
    if not (rest and len(leaders) > 1):
        return []
    return leaders if all((one, other) in pairs for one in leaders for other in rest) else []


def _left(result: ComparisonResult, name: str) -> float:
    """Return the cost in nats of errors that a repair of the model would leave; 0 if unclear."""
    found = result.details.get("unrepaired", {}).get(name)
    if found is None or found["pvalue"] > _LEFT_ALPHA:
        return 0.0
    return max(float(found["loss"]), 0.0)


def _is_outweighed(result: ComparisonResult, d: Difference) -> bool:
    """Return whether the lead in calibration loss is below the leader's unrepaired errors."""
    if d.better is None:
        return False
    lead = abs(d.estimate) + _left(result, str(d.worse))
    return lead < _left(result, d.better)


def _size(d: Difference) -> str:
    return f"{estimate_text(d.estimate, d.interval.low, d.interval.high)} nats per row"


def _overall(calibration: Difference, loss: Difference) -> str:
    """Describe whether the better calibrated model is also better overall."""
    if math.isnan(loss.estimate):
        return "Overall: the log loss is infinite and cannot compare the two."
    if loss.better is None:
        return f"Overall no difference is shown: log loss differs by {_size(loss)}."
    ahead = loss if loss.better == loss.second else loss.swapped()
    if calibration.worse == loss.better:
        start = f"But overall {loss.better} predicts better, and a repair would improve it further"
    else:
        start = f"Overall {loss.better} predicts better"
    return f"{start}: its log loss is lower by {_size(ahead)}{_pvalue(loss, 1)}."


def _repaired(refinement: Difference) -> str:
    """Describe which model would be better if both were repaired."""
    if math.isnan(refinement.estimate):
        return "It is unknown which would be ahead if both were repaired."
    if refinement.better is None:
        return f"If both were repaired, neither is shown to be ahead: {_by(refinement)}."
    ahead = refinement if refinement.better == refinement.second else refinement.swapped()
    return (
        f"If both were repaired, {refinement.better} would be ahead: log loss lower by "
        f"{_size(ahead)}{_pvalue(refinement, 1)}."
    )


def _by(d: Difference) -> str:
    return f"log loss differs by {_size(d)}"


def _calibration_sentence(result: ComparisonResult, d: Difference, n_comparisons: int) -> str:
    if not _is_outweighed(result, d):
        return _sentence(d, n_comparisons)
    ahead = d if d.better == d.second else d.swapped()
    text = estimate_text(ahead.estimate, ahead.interval.low, ahead.interval.high)
    return (
        f"{d.first} and {d.second}: not decided, {TITLES[d.measure]} of {d.better} is lower by "
        f"{text}{_pvalue(d, n_comparisons)}, but a repair would leave it local errors that cost "
        f"about {number(_left(result, ahead.second))}."
    )


def _sentence(d: Difference, n_comparisons: int) -> str:
    name = TITLES[d.measure]
    if math.isnan(d.estimate):
        return f"{d.first} and {d.second}: the difference of {name} is not defined."
    if _is_same(d):
        return f"{d.first} and {d.second} predict the same."
    if d.better is None:
        words, shown = f"{d.first} and {d.second}: no difference is shown, {name} differs by", d
    else:
        ahead = d if d.better == d.first else d.swapped()
        more = d.measure == "accuracy"
        shown = ahead if more else ahead.swapped()
        sense = "higher" if more else "lower"
        better = _BETTER.get(d.measure, "better")
        words = f"{d.better} is {better} than {d.worse}: {name} {sense} by"
    text = estimate_text(shown.estimate, shown.interval.low, shown.interval.high)
    return f"{words} {text}{_pvalue(d, n_comparisons)}{_equivalence(d)}."


def _pvalue(d: Difference, n_comparisons: int) -> str:
    if math.isnan(d.pvalue):
        return ""
    if n_comparisons == 1:
        return f", {pvalue_text(d.pvalue)}"
    return f", {pvalue_text(d.pvalue_holm)} adjusted for {n_comparisons} comparisons"


def _equivalence(d: Difference) -> str:
    found = d.equivalence
    if found is None:
        return ""
    margin = number(found.margin)
    if not found.established:
        return f"; not shown to differ by less than {margin}"
    return f"; differs by less than {margin} ({pvalue_text(found.pvalue_holm)})"


def _equal_notes(result: ComparisonResult) -> tuple[str, ...]:
    undecided = [d for d in _of(result, HEADLINE) if d.better is None and not _is_same(d)]
    if not undecided or all(d.equivalence is not None for d in undecided):
        return ()
    return (
        "That no difference is shown does not mean that there is none: `equivalence` tests whether "
        "a difference is smaller than a margin.",
    )


def _opposed_notes(result: ComparisonResult) -> tuple[str, ...]:
    found = []
    for d, kernel in zip(_of(result, HEADLINE), _of(result, "skce"), strict=True):
        if kernel.better is not None and kernel.better != d.better:
            found.append(
                f"{d.first} and {d.second}: by SKCE alone, {kernel.better} would be better "
                "calibrated. It weights errors by the width of its kernel, and detects those that "
                "neither a temperature nor a slope and intercept for each class can repair."
            )
    return tuple(found)


def _left_notes(result: ComparisonResult) -> tuple[str, ...]:
    return tuple(
        f"{name}: neither a temperature nor a slope and intercept for each class removes its local "
        f"errors, which cost about {number(_left(result, name))} nats per row (p = "
        f"{number(result.details['unrepaired'][name]['pvalue'])}). The calibration loss leaves "
        "them out."
        for name in result.models
        if _left(result, name) > 0.0
    )


def _zero_notes(result: ComparisonResult) -> tuple[str, ...]:
    return tuple(
        f"{name}: {counted(count, 'label')} had predicted probability 0, which the repair counts "
        "as 1e-12: check whether the file was rounded."
        for name, count in result.details["impossible_labels"].items()
        if count
    )


def _facts(result: ComparisonResult) -> list[tuple[str, str]]:
    share = percent(result.confidence_level, 6)
    units = "clusters" if "n_clusters" in result.details else "rows"
    many = len(_of(result, HEADLINE)) > 1  # otherwise the table lists the margins
    margins = [f"{TITLES[name]} {number(eps)}" for name, eps in _margins(result).items() if many]
    return [
        (
            "data",
            data_text(
                result.n_samples, result.n_classes, n_clusters=result.details.get("n_clusters")
            ),
        ),
        ("repair", str(result.details["repair"])),
        ("kernel", f"{_kernel_text(result)}, the same for all models"),
        ("pairs", str(result.details["choice"])),
        ("intervals", f"{share}, for each comparison separately; paired jackknife over {units}"),
        *([("margins", ", ".join(margins))] if margins else []),
    ]


def _kernel_text(result: ComparisonResult) -> str:
    """Return the kernel with a rounded bandwidth."""
    width = result.bandwidth
    return str(result.kernel).replace(str(width), number(width))


def _pair_table(result: ComparisonResult) -> Table:
    first, second = result.differences[0].first, result.differences[0].second
    rows = tuple(
        (
            _row_name(d.measure),
            number(result.models[first][d.measure].estimate),
            number(result.models[second][d.measure].estimate),
            estimate_text(d.estimate, d.interval.low, d.interval.high) + _equivalence(d),
            pvalue_cell(d.pvalue),
            d.better or "no difference shown",
        )
        for d in result.differences
    )
    return Table(rows, ("", first, second, "difference", "p", "better"), indent="  ")


def _row_name(measure: str) -> str:
    nats = UNITS[measure] == "nats"
    return f"{TITLES[measure]}, nats" if nats else TITLES[measure]


def _tables_of_many(result: ComparisonResult) -> list[Section]:
    alpha = number(1.0 - result.confidence_level)
    close = "; ≈: shown to differ by less than its margin" if _margins(result) else ""
    heading = f"Differences, first − second (*: adjusted p ≤ {alpha}{close}):"
    return [
        Section("Models:", table=_model_table(result)),
        Section(heading, table=_difference_table(result)),
    ]


def _difference_table(result: ComparisonResult) -> Table:
    by_measure = [_of(result, measure) for measure in MEASURES]
    rows = tuple(
        (
            f"{pair[0].first} − {pair[0].second}",
            *(_marked(d) for d in pair),
        )
        for pair in zip(*by_measure, strict=True)
    )
    return Table(rows, ("", *TITLES.values()), indent="  ")


def _marked(d: Difference) -> str:
    shown = d.equivalence is not None and d.equivalence.established
    return f"{number(d.estimate)}{'' if d.better is None else ' *'}{' ≈' if shown else ''}"


def _model_table(result: ComparisonResult) -> Table:
    columns = ("", *TITLES.values())
    rows = tuple(
        (name, *(_cell(effects[measure]) for measure in MEASURES))
        for name, effects in result.models.items()
    )
    return Table(rows, columns, indent="  ")


def _cell(effect: Effect) -> str:
    return estimate_text(effect.estimate, effect.interval.low, effect.interval.high)
