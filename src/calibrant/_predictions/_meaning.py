"""The meaning of labels among class names, from the names and never from a chance match.

Files, frames and `classes=` all use it. A label is a name, a name without the words that all
names share, the number in a name, or its word for true or false. Any other label is a position,
unless a name contradicts this.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibrant._predictions._names import Names

#: prefixes of the names of probability columns; the rest is the class
PROB_PREFIXES = ("p_", "prob_", "proba_", "probability_", "p.", "prob.", "proba.")
#: prefixes of other programs; each is also a word, so a single such column says less
EXPORT_PREFIXES = (".pred_", "predict_proba_", "pred_proba_", "pred_prob_", "y_pred_proba_",
                   "y_pred_prob_", "y_proba_", "y_prob_", "y_score_", "y_pred_", "probabilities_",
                   "probability.", "probs_", "softmax_", "confidence_", "conf_", "score_",
                   "scores_", "prediction_", "predicted_", "pred_", "pred.", "pr_")  # fmt: skip
LOGIT_PREFIXES = ("logit_", "logits_", "logit.", "logprob_", "log_prob_", "log_proba_", "logp_",
                  "z_")  # fmt: skip
#: other names that contain the class: P(cat), Pr(y = cat | x), confidence(cat); p0, prob1;
#: cat_prob, cat probability; probability of cat, prob: cat; and as Azure writes them
PROB_FORMS = (
    re.compile(r"(?:p|pr|prob|proba|probability|confidence)\s*[(\[]\s*"
               r"(?:[^\W\d]\w*\s*={1,2}\s*)?([^()|]+?)\s*(?:\|.*)?[)\]]", re.IGNORECASE),
    re.compile(r"(?:p|pr|prob|proba|pred|class_?prob)(\d+)", re.IGNORECASE),
    re.compile(r'scored probabilities(?: for class)?\s+"?([^"]+?)"?', re.IGNORECASE),
    re.compile(r"(.+?)[ _.\-]\s*(?:prob|proba|probability)", re.IGNORECASE),
    re.compile(r"(?:p|prob|proba|probability)(?:\s+of\s+|\s*:\s*|\s+)(.+)", re.IGNORECASE),
)  # fmt: skip
#: words for true and false that are unambiguous as a pair
_PAIRS = (("true", "false"), ("yes", "no"), ("positive", "negative"), ("pos", "neg"),
          ("on", "off"), ("y", "n"), ("t", "f"))  # fmt: skip
#: the same in other languages; a single one may be another word: Si is also silicon
_FOREIGN_PAIRS = (("ja", "nein"), ("ja", "nee"), ("ja", "nej"), ("oui", "non"), ("si", "no"),
                  ("sí", "no"), ("sì", "no"), ("sim", "não"), ("sim", "nao"), ("tak", "nie"),
                  ("да", "нет"), ("是", "否"), ("はい", "いいえ"), ("예", "아니요"),
                  ("wahr", "falsch"), ("vrai", "faux"), ("vero", "falso"),
                  ("verdadero", "falso"), ("verdadeiro", "falso"))  # fmt: skip
#: words for numbers
_NUMBER_WORDS = dict(zip(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight",
                          "nine", "ten"), map(str, range(11)), strict=True))  # fmt: skip
#: Roman numerals, if all names are such and one has several letters: "x" alone is a letter
_ROMAN = dict(zip(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"),
                  map(str, range(1, 11)), strict=True))  # fmt: skip
#: words with an inherent order, in which alone positions are certain
_SCALES = (
    ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"),
    ("lowest", "very low", "low", "medium", "high", "very high", "highest"),
    ("low", "moderate", "high"), ("low", "normal", "high"), ("low", "middle", "high"),
    ("smallest", "tiny", "small", "medium", "large", "huge", "largest"),
    ("absent", "present"), ("none", "some", "all"),
    ("none", "minimal", "mild", "moderate", "severe", "critical"), ("minor", "major"),
    ("very negative", "negative", "neutral", "positive", "very positive"),
    ("worst", "very bad", "bad", "neutral", "good", "very good", "best"),
    ("very poor", "poor", "fair", "average", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("cold", "cool", "warm", "hot"),
    ("normal", "abnormal"), ("healthy", "sick"), ("healthy", "ill"), ("healthy", "diseased"),
    ("control", "case"), ("ham", "spam"), ("legit", "fraud"), ("legitimate", "fraud"),
    ("genuine", "fraud"), ("fail", "pass"), ("failed", "passed"), ("failure", "success"),
    ("loss", "win"), ("lose", "win"), ("lost", "won"), ("wrong", "right"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
)  # fmt: skip
#: an integer, possibly written as 2.0; a minus after a letter or digit is a hyphen
_NUMBER = re.compile(r"(?:(?<![^\W_])-)?(?<!\d)\d{1,4000}(?:\.0+)?(?!\d)")
_WORD = re.compile(r"[^\W\d_]+|\d+")
#: words that negate the rest of a name
_NEGATIONS = {"no", "not", "non", "false", "without", "never", "neg", "un", "anti"}
#: the sign of a number, the decimal point within one, and one minus something
_SIGN, _FRACTION, _REST = map(
    re.compile, (r"(?<![^\W_])[-+]$", r"\d\.\d", r"\b1\s*[-\u2212\u2013]")
)
#: names of the usual case, which a probability of the event does not refer to
_USUAL = {
    "absent",
    "healthy",
    "normal",
    "control",
    "benign",
    "ham",
    "legit",
    "legitimate",
    "genuine",
}
#: prefixes that negate a word
_OPPOSITES = ("non", "un", "in", "im", "ir", "il", "dis")
#: the first words of a name, up to a separator
_FIRST_WORDS = re.compile(r".*(?:[_\s.:/]|(?<=[^\W_])-)", re.DOTALL)


def columns_of(labels: Iterable[Any], names: Names) -> dict[Any, int] | None:
    """Return the column of every class, named like the labels, or None if no name fits."""
    labels = list(labels)
    for reading in _readings(labels, names):
        # True == 1 in Python, but a boolean is not a class among 1, 2, 3
        if all(type(label) is bool for label in labels) and set(reading) != {0, 1}:
            continue
        index = {name: i for i, name in enumerate(reading)}
        if all(label in index for label in labels):
            return index
    return None


def match_columns(columns: Names, names: Names) -> list[int] | None:
    """Return the class of every column if both name the same classes, else None."""
    readings = (columns, numbers_in(columns), _truth_in(columns), *_without_shared_words(columns))
    for reading in readings:
        index = None if reading is None else columns_of(reading, names)
        if reading is not None and index is not None:
            codes = [index[name] for name in reading]
            if sorted(codes) == list(range(len(names))):
                return codes
    return None


def deny_positions(names: Names) -> bool:
    """Return whether names imply another order than that of their columns.

    A name may contain a number, or a word for a number, true or false, that is not its position;
    several names may be the words of a scale, such as low, medium and high, in another order; or
    the second of two may be the opposite of the first, as inactive is of active.
    """
    bare = [name.casefold() for name in _bare(names)]
    denied = len(bare) == 2 and any(bare[1] == prefix + bare[0] for prefix in _OPPOSITES)
    by_order = any(_is_disordered(bare, scale) for scale in _SCALES)
    return denied or by_order or _deny_by_number(bare)


def _deny_by_number(names: list[str]) -> bool:
    last = len(names) - 1
    places = {"not": 0, "non": 0, "positive": last, "pos": last}
    for true, false in _PAIRS:
        places |= {} if len(true) == 1 else {true: places.get(true, 1), false: 0}
    are_roman = all(name in _ROMAN for name in names) and any(len(name) > 1 for name in names)
    numbers = _NUMBER_WORDS | (_ROMAN if are_roman else {})
    for i, name in enumerate(names):
        words = _WORD.findall(name)
        said = {word.lstrip("0") or "0" for word in words if word.isdigit()}
        said |= {numbers[name]} if name in numbers else set()
        if last == 1 or len(words) == 1:  # among many classes, "no finding" may be anywhere
            said |= {str(places[word]) for word in words if word in places}
        if said - {str(i)}:
            return True
    return False


def _is_disordered(names: list[str], scale: tuple[str, ...]) -> bool:
    """Return whether at least two names are words of a scale, but not in its order."""
    words = [" ".join(_WORD.findall(name)) for name in names]
    places = [scale.index(word) for word in words if word in scale]
    return places != sorted(places)


def numbers_in(names: Sequence[Hashable]) -> tuple[int, ...] | None:
    """Return the only number in every name, if names differ in nothing else."""
    stems, numbers = set(), []
    for name in names:
        found = list(_NUMBER.finditer(str(name)))
        if isinstance(name, bool) or len(found) != 1:
            return None
        start, end = found[0].span()
        stems.add((str(name)[:start].casefold(), str(name)[end:].casefold()))
        numbers.append(int(found[0][0].partition(".")[0]))
    return tuple(numbers) if len(stems) == 1 and len(set(numbers)) == len(numbers) else None


def number_of(name: Hashable) -> int | None:
    """Return the integer that a name is, or None."""
    found = None if isinstance(name, bool) else _NUMBER.fullmatch(str(name))
    return None if found is None else int(found[0].partition(".")[0])


def truth_of(name: Hashable) -> bool | None:
    """Return the value of a word for true or false; single letters have none."""
    word = str(name).casefold()
    pairs = [pair for pair in (*_PAIRS, *_FOREIGN_PAIRS) if word in pair and len(word) > 1]
    return word == pairs[0][0] if pairs else None


def says_opposite(name: Hashable) -> bool:
    """Return whether a name describes the label 0, such as not_spam or healthy."""
    words = {word.casefold() for word in _WORD.findall(str(name))}
    return bool(words & (_NEGATIONS | _USUAL)) or any(re.match("non.{4}", word) for word in words)


def class_in_name(columns: Sequence[str], prefixes: Sequence[str]) -> dict[str, str]:
    """Return the parts after the prefix that all columns share, or an empty dict."""
    for prefix in prefixes:
        if all(c.lower().startswith(prefix) and len(c) > len(prefix) for c in columns):
            return {column: column[len(prefix) :].strip() for column in columns}
    return {}


def class_in_form(columns: Sequence[str], form: re.Pattern[str]) -> dict[str, str]:
    """Return the classes in names that all have a form such as P(class), or an empty dict."""
    found = {column: form.fullmatch(column.strip()) for column in columns}
    if not all(found.values()):
        return {}
    return {column: match[1].strip() for column, match in found.items() if match}


def class_in_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the classes in the names of probability or logit columns, or an empty dict."""
    found = class_in_name(columns, (*PROB_PREFIXES, *EXPORT_PREFIXES, *LOGIT_PREFIXES))
    forms = (class_in_form(columns, form) for form in PROB_FORMS)
    return found or next((classes for classes in forms if classes), {})


def _readings(labels: list[Any], names: Names) -> list[Names]:
    """Return the names, and their other readings for labels of this type."""
    if not all(isinstance(name, str) for name in names):
        return [names]
    if all(isinstance(label, int) for label in labels):
        return [reading for reading in (numbers_in(names), _truth_in(names)) if reading]
    return [names, *_without_shared_words(names)]


def _truth_in(names: Names) -> tuple[bool, bool] | None:
    words = tuple(name.casefold() for name in _bare(names))
    for pair in (*_PAIRS, *_FOREIGN_PAIRS):
        if words in (pair, pair[::-1]):
            return words[0] == pair[0], words[1] == pair[0]
    return None


def _bare(names: Names) -> tuple[str, ...]:
    return [tuple(map(str, names)), *_without_shared_words(names)][-1]


def _without_shared_words(names: Names) -> list[tuple[str, ...]]:
    """Return the names without prefixes of probability columns and shared first or last words.

    A rest that is also the name of another class is left out, because it is ambiguous.
    """
    texts = tuple(str(name).strip() for name in names)
    known = tuple(class_in_columns(texts).values())
    headless = _drop_first_words(texts)
    backwards = _drop_first_words(tuple(text[::-1] for text in headless))
    tailless = tuple(text[::-1] for text in backwards)
    rests, seen = [], {text: i for i, text in enumerate(texts)}
    for rest in (known, headless, tailless):
        is_other = len(set(rest)) == len(texts) and rest != texts
        if is_other and all(seen.get(text, i) == i for i, text in enumerate(rest)):
            rests.append(rest)
            seen |= {text: i for i, text in enumerate(rest)}
    return rests


def stands_alone(head: str, label: str, tail: str) -> bool:
    """Return whether a label between other words is a separate word that none of them negates.

    The 1 in 10, -1 and 1.5 is not, nor is the cat in noncat; and not_cat is not cat.
    """
    pairs = [head[-1:] + label[:1], label[-1:] + tail[:1]]
    inside = any(len(pair) > 1 and pair.isdigit() for pair in pairs)
    inside |= len(pairs[1]) > 1 and pairs[1].isalpha()  # in front, SAS writes P_Speciescat
    signed = _SIGN.search(head) or _FRACTION.search(head[-2:] + label[:1])
    is_part = label[:1].isdigit() and (signed or _FRACTION.match(label[-1:] + tail[:2]))
    words = {word.casefold() for word in _WORD.findall(f"{head} {tail}")}
    return not (inside or is_part or words & _NEGATIONS or _REST.search(head))


def _drop_first_words(texts: tuple[str, ...]) -> tuple[str, ...]:
    shared = _FIRST_WORDS.match(commonprefix(texts))  # noqa: RUF071 - characters are meant
    words = _WORD.findall(shared[0].casefold()) if shared else []
    # 1.5 and 1.7 are not 5 and 7, and no_cat is not cat; last words are passed in reverse
    negated = _NEGATIONS.intersection([*words, *(word[::-1] for word in words)])
    if shared is None or negated or all(word.isdigit() for word in words):
        return texts
    rest = tuple(text[shared.end() :].strip() for text in texts)
    return rest if all(rest) and len(rest) > 1 else texts
