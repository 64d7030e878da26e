"""The JSON documents of calibrant, with versions and reproducible bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from calibrant._output._plain import to_plain
from calibrant._output._schema import Schema
from calibrant._output._versions import __version__

#: incremented when programs that read the documents would have to change
SCHEMA_VERSION = 1


def document(command: str, content: Any) -> dict[str, Any]:
    """Return the result of a command as plain values, after the versions."""
    head = {"schema_version": SCHEMA_VERSION, "calibrant": __version__, "command": command}
    body: dict[str, Any] = to_plain(content)
    return head | body


def document_schema(contents: Mapping[str, type]) -> dict[str, Any]:
    """Return the JSON schema of all documents, from the classes of their contents."""
    schema = Schema()
    documents = {
        f"{command}_document": schema.describe(
            cls,
            schema_version={"const": SCHEMA_VERSION},
            calibrant={"type": "string", "description": "Version of the program."},
            command={"const": command},
        )
        for command, cls in contents.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:calibrant:output:{SCHEMA_VERSION}",
        "title": f"The documents of the command line, version {SCHEMA_VERSION}",
        "description": "One document for every run. New keys may appear in `details` at any time; "
        "any other change raises schema_version.",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in documents],
        "$defs": schema.definitions | documents,
    }


def to_json(found: Mapping[str, Any], indent: int | None = 2) -> str:
    """Return strict JSON with reproducible bytes."""
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
