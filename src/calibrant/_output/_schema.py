"""The JSON schema of dataclasses, from the fields and types that write and read them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import is_dataclass
from inspect import getdoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from calibrant._output._plain import is_array, plain_types


class Promise:
    """The schema of a type, replacing that of its Python type."""

    def __init__(self, **schema: Any) -> None:
        self.schema = schema


#: types of fields with a stricter schema than their Python type
Count = Annotated[int, Promise(type="integer", minimum=0)]
Finite = Annotated[float, Promise(type="number")]
Probability = Annotated[float, Promise(type="number", minimum=0, maximum=1)]
#: strictly between 0 and 1
Rate = Annotated[float, Promise(type="number", exclusiveMinimum=0, exclusiveMaximum=1)]

_NUMBER = {
    "description": 'A number; null is unknown (NaN), "inf" and "-inf" are infinite.',
    "anyOf": [{"type": "number"}, {"type": "null"}, {"enum": ["inf", "-inf"]}],
}
_SIMPLE = {str: "string", int: "integer", bool: "boolean", NoneType: "null"}


class Schema:
    """Definitions of dataclasses, each once, by the name of its class."""

    def __init__(self) -> None:
        self.definitions: dict[str, Any] = {"number": _NUMBER}

    def refer(self, cls: type) -> dict[str, Any]:
        """Return a reference to a dataclass, and define it."""
        if cls.__name__ not in self.definitions:
            self.definitions[cls.__name__] = {}  # a class may contain itself
            self.definitions[cls.__name__] = self.describe(cls)
        return {"$ref": f"#/$defs/{cls.__name__}"}

    def describe(self, cls: type, **more: Any) -> dict[str, Any]:
        """Return the schema of a dataclass after `more` properties; all are required."""
        types = plain_types(cls)
        properties = more | {name: self.kind(kind) for name, kind in types.items()}
        return {
            "type": "object",
            "description": (getdoc(cls) or "").split("\n\n")[0],
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def kind(self, kind: Any) -> dict[str, Any]:
        """Return the schema of a type."""
        origin, args = get_origin(kind), get_args(kind)
        if hasattr(kind, "__metadata__"):
            promise: Promise = kind.__metadata__[0]
            return promise.schema
        if kind in _SIMPLE:
            return {"type": _SIMPLE[kind]}
        if is_dataclass(kind) and isinstance(kind, type):
            return self.refer(kind)
        if kind is float:
            return {"$ref": "#/$defs/number"}
        if origin is Literal:
            return {"enum": list(args)}
        if origin in (Union, UnionType):
            return self._union(args)
        return self._container(kind, origin, args)

    def _union(self, kinds: tuple[Any, ...]) -> dict[str, Any]:
        if set(kinds) == {float, NoneType}:
            return self.kind(float)
        return {"anyOf": [self.kind(kind) for kind in kinds]}

    def _container(self, kind: Any, origin: Any, args: tuple[Any, ...]) -> dict[str, Any]:
        if kind in (Any, Hashable):
            return {}
        if origin in (Mapping, dict):
            inside = self.kind(args[1])
            return {"type": "object"} | ({"additionalProperties": inside} if inside else {})
        if is_array(kind):
            return {"type": "array", "items": self.kind(float)}
        if origin in (tuple, list):
            items = self.kind(args[0])
            table = {"type": "array"} | ({"items": items} if items else {})
            fixed = origin is tuple and args[-1] is not Ellipsis
            return table | ({"minItems": len(args), "maxItems": len(args)} if fixed else {})
        raise TypeError(f"{kind} has no JSON schema")
