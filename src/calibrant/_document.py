"""The JSON documents of calibrant: which version, and the same bytes for the same result."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from calibrant._version import own_version
from calibrant.effects._interval import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

#: changes when a program that reads the documents would have to change
SCHEMA_VERSION = 1


def document(command: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a command found as plain values, with the versions in front."""
    found: dict[str, Any] = plain(
        {
            "schema_version": SCHEMA_VERSION,
            "calibrant": own_version(),
            "command": command,
            **content,
        }
    )
    return found


def to_json(found: Mapping[str, Any], indent: int | None = 2) -> str:
    """Return strict JSON, the same bytes for the same document."""
    separators = None if indent else (",", ":")
    text = json.dumps(
        found,
        indent=indent,
        separators=separators,
        ensure_ascii=False,
        allow_nan=False,
        default=str,
    )
    return f"{text}\n"
