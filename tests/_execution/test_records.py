import json
import struct

import numpy as np
import pytest

from calibrant._execution._records import pack, unpack

RECORD = [1.5, (np.arange(3.0), np.zeros((2, 0))), {"a": np.eye(2), "b": [np.pi, np.nan]}]


def crafted(layout, *numbers):
    text = layout if isinstance(layout, bytes) else json.dumps(layout).encode()
    return struct.pack("<I", len(text)) + text + np.array(numbers, "<f8").tobytes()


def test_records_come_back_bit_for_bit():
    back = unpack(pack(RECORD))
    assert back[0] == 1.5
    np.testing.assert_array_equal(back[1][0], RECORD[1][0])
    assert back[1][1].shape == (2, 0)
    np.testing.assert_array_equal(back[2]["a"], np.eye(2))
    assert back[2]["b"][0] == np.pi
    assert np.isnan(back[2]["b"][1])
    assert isinstance(back, list)
    assert isinstance(back[1], tuple)
    back[1][0][0] = 7.0  # writeable


def test_bits_that_printing_would_lose_are_kept():
    numbers = np.array([-0.0, 5e-324, np.inf, np.nextafter(1.0, 2.0)])
    kept, first = unpack(pack([numbers, float(numbers[0])]))
    assert kept.tobytes() == numbers.tobytes()
    assert np.signbit(first)


def test_whole_numbers_keep_their_type():
    codes = np.array([[2**62 + 1, -1], [0, 7]])
    kept, empty = unpack(pack((codes, np.zeros(0, np.int64))))
    assert kept.dtype == empty.dtype == np.int64
    np.testing.assert_array_equal(kept, codes)
    assert kept.flags.writeable


def test_only_numbers_are_kept():
    with pytest.raises(TypeError, match="floats, float64 and int64 arrays; got str"):
        pack(["text"])
    with pytest.raises(TypeError, match="got ndarray"):
        pack(np.array(["text"]))


def test_a_crafted_record_would_be_read_if_it_were_right():
    assert unpack(crafted(["list", [["float", None]]], 2.5)) == [2.5]


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\x01",
        struct.pack("<I", 2**31),
        pack(RECORD)[:-1],
        pack(RECORD)[:-8],
        pack(RECORD) + bytes(8),
        crafted(b"not json"),
        crafted(b"\xff\xff"),
        crafted(b"[" * 5000),
        crafted(7),
        crafted(["list"]),
        crafted(["list", 3]),
        crafted(["dict", [1]]),
        crafted(["text", "x"], 1.0),
        crafted(["array", "ab"], 1.0),
        crafted(["array", None], 1.0),
        crafted(["array", [-1]], 1.0),
        crafted(["array", [1.0]], 1.0),
        crafted(["array", [True]], 1.0),
        crafted(["array", [2**40, 2**40]], 1.0),
        crafted(["array", [3]], 1.0, 2.0),
        crafted(["float", None]),
    ],
    ids=range(22),
)
def test_what_does_not_fit_together_is_refused(packed):
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says: a checkpoint translates it
        unpack(packed)


def test_nothing_but_bytes_is_a_record():
    with pytest.raises(ValueError, match="cannot be read"):
        unpack("text")
