"""Messages of the library in the terms of the command line, with arguments as options."""

from __future__ import annotations

from shlex import quote

from calibrant.errors import Argument, DataError, RowSumWarning

#: the options for arguments that messages may name
OPTIONS = {
    "label": "--label",
    "labels": "--labels",
    "prob": "--prob",
    "classes": "--classes",
    "pos_label": "--pos-label",
    "predicted": "--predicted",
    "weight": "--weight",
    "id": "--id",
    "groups": "--group",
    "cluster": "--cluster",
    "clusters": "--cluster",
    "logits": "--logits",
    "onehot": "--onehot",
    "one_based": "--one-based",
    "normalize": "--normalize",
    "percent": "--percent",
    "drop_missing": "--drop-missing",
    "delimiter": "--delimiter",
    "encoding": "--encoding",
    "one_vs_rest": "--lens one-vs-rest:CLASS",
    "output": "--output",
    "resume": "--resume",
}


def spell(argument: Argument) -> str:
    """Return an argument as an option, if it has one."""
    option = OPTIONS.get(argument.name)
    if option is None:
        return str(argument)
    if argument.value is None or argument.value is True:
        return option
    value = "tab" if argument.value == "\t" else str(argument.value)
    return f"{option} {quote(value)}" if "'" in value else f"{option} '{value}'"


def message_of(error: Exception | str) -> str:
    """Return the message of an error or a warning in the terms of the command line."""
    if isinstance(error, DataError | RowSumWarning):
        return error.text(spell)
    return str(error)
