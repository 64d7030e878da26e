"""An option about files is known wherever it can be given."""

import inspect
from dataclasses import fields

from calibrant.cli.commands.check import command
from calibrant.io import ReadOptions, read_predictions, scan_predictions

OPTIONS = {field.name: field.default for field in fields(ReadOptions)}


def arguments(function):
    return {p.name: p.default for p in inspect.signature(function).parameters.values()}


def test_reading_a_file_takes_every_option_with_its_default():
    given = arguments(read_predictions)
    del given["path"], given["progress"]
    assert given == OPTIONS


def test_looking_at_files_takes_some_of_them_with_the_same_defaults():
    given = arguments(scan_predictions)
    del given["paths"], given["in_memory"]
    assert given.items() <= OPTIONS.items()


def test_the_command_line_has_every_option_but_header():
    flags = {parameter.name for parameter in command.params}
    assert set(OPTIONS) - flags == {"header"}
