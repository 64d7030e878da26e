"""Predicates on Arrow types: how their cells can be read."""

from __future__ import annotations

from typing import Any


def is_list(kind: Any) -> bool:
    """Return whether cells are lists of any kind."""
    import pyarrow as pa

    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(is_kind(kind) for is_kind in lists)


def value_type(kind: Any) -> Any:
    """Return the type of the items for lists, else the type itself."""
    return kind.value_type if is_list(kind) else kind


def is_structured(kind: Any) -> bool:
    """Return whether cells are structures, maps or lists of structures."""
    import pyarrow as pa

    inner = kind.value_type if is_list(kind) else kind
    return bool(pa.types.is_struct(inner) or pa.types.is_map(inner))


def may_be_labels(kind: Any) -> bool:
    """Return whether cells can be read as labels but not as numbers."""
    return not is_number(kind) and is_text(kind)


def is_text(kind: Any) -> bool:
    """Return whether cells have a text form: all but lists, structures and the like."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return not (pa.types.is_nested(kind) or pa.types.is_run_end_encoded(kind))


def is_text_of_any_kind(kind: Any) -> bool:
    """Return whether cells are strings or bytes."""
    return str(kind) in ("string", "large_string", "string_view", "binary", "large_binary")


def is_decimal(kind: Any) -> bool:
    """Return whether cells are decimal fractions, a type that NumPy lacks."""
    import pyarrow as pa

    return bool(pa.types.is_decimal(kind))


def is_number(kind: Any) -> bool:
    """Return whether cells are numbers or booleans."""
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(is_kind(kind) for is_kind in tests)
