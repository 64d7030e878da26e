"""Every dataclass survives a round trip through strict JSON."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import jsonschema
import numpy as np
import numpy.typing as npt
import pytest

from calibrant._output import Count, Plain, left_out, to_plain, written_as
from calibrant._output._schema import Schema


@dataclass(frozen=True)
class Inner(Plain):
    """Something inside."""

    value: float
    kind: Literal["a", "b"] = "a"


@dataclass(frozen=True, eq=False)
class Outer(Plain):
    """Every type that results use."""

    number: float
    maybe: float | None
    count: Count
    name: str | None
    inner: Inner
    inners: tuple[Inner, ...]
    pair: tuple[float, float] | None
    by_number: Mapping[float, float]
    nested: Mapping[str, Mapping[str, Inner]]
    array: npt.NDArray[np.float64] | None
    details: Mapping[str, Any] = field(default_factory=dict)
    code: object = field(default=None, metadata=written_as(str, repr))
    secret: object = field(default=None, metadata=left_out())


OUTER = Outer(
    number=math.nan,
    maybe=None,
    count=3,
    name=None,
    inner=Inner(math.inf),
    inners=(Inner(-math.inf, "b"), Inner(0.5)),
    pair=(0.0, math.nan),
    by_number={0.05: math.nan, 0.5: 1.0},
    nested={"x": {"y": Inner(1.0)}},
    array=np.array([1.0, math.nan, math.inf]),
    details={"a": np.float64(2.0), "b": [math.nan], 3: (1,)},
    code={"not": "json"},
    secret=object(),
)


def through_json(value):
    return json.loads(json.dumps(value.to_dict(), allow_nan=False))


def validate(table):
    schema = Schema()
    top = schema.refer(Outer) | {"$defs": schema.definitions}
    jsonschema.Draft202012Validator.check_schema(top)
    jsonschema.Draft202012Validator(top).validate(table)


def test_values_are_those_of_strict_json():
    table = OUTER.to_dict()
    assert table["number"] is None
    assert table["inner"] == {"value": "inf", "kind": "a"}
    assert table["by_number"] == {"0.05": None, "0.5": 1.0}
    assert table["array"] == [1.0, None, "inf"]
    assert table["details"] == {"a": 2.0, "b": [None], "3": [1]}
    assert table["code"] == "{'not': 'json'}"
    assert "secret" not in table


def test_fields_come_back_as_their_types():
    back = Outer.from_dict(through_json(OUTER))
    assert back.to_dict() == OUTER.to_dict() | {"code": repr(repr(OUTER.code))}
    assert math.isnan(back.number)
    assert back.maybe is None
    assert back.inner == OUTER.inner
    assert back.inners == OUTER.inners
    assert back.pair[0] == 0.0
    assert math.isnan(back.pair[1])
    assert list(back.by_number) == [0.05, 0.5]
    assert back.nested == OUTER.nested
    np.testing.assert_array_equal(back.array, OUTER.array)
    assert back.secret is None


def test_keys_must_be_those_of_the_fields():
    table = OUTER.to_dict()
    with pytest.raises(ValueError, match=r"`Outer.to_dict`: missing \['count'\], unknown \['n'\]"):
        Outer.from_dict({"n" if key == "count" else key: table[key] for key in table})


def test_documents_obey_the_schema_of_their_class():
    validate(through_json(OUTER))


@pytest.mark.parametrize(
    "change",
    [
        {"count": -1},
        {"count": 1.5},
        {"number": "many"},
        {"extra": 1},
        {"inner": {"value": 1.0, "kind": "c"}},
        {"inner": {"value": 1.0}},
        {"pair": [1.0]},
        {"inners": [1.0]},
        {"nested": {"x": {"y": 1}}},
        {"array": ["large"]},
        {"code": 1},
        {"secret": 1},
    ],
    ids=str,
)
def test_the_schema_refuses_anything_else(change):
    with pytest.raises(jsonschema.ValidationError):
        validate(through_json(OUTER) | change)


def test_the_schema_refuses_types_that_it_does_not_know():
    with pytest.raises(TypeError, match="has no JSON schema"):
        Schema().kind(set[int])


def test_values_that_are_no_dataclass_are_plain_too():
    assert to_plain({"a": np.arange(2), 1: (np.nan, True, None, "x")}) == {
        "a": [0, 1],
        "1": [None, True, None, "x"],
    }
