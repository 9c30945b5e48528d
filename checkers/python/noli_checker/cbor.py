"""The subset of CBOR (RFC 8949) that certificates use: section 1."""

import math
import struct

from .errors import CheckError, require

NESTING = 16
ITEM_BYTES = 1 << 30
KEYS = 64
FLOATS = {25: ">e", 26: ">f", 27: ">d"}


def items(data):
    """Yields the items of a CBOR sequence."""
    at = 0
    while at < len(data):
        start = at
        value, at = _item(data, at, 0)
        require(at - start <= ITEM_BYTES, "E-LIMIT", "an item has more than 2^30 bytes")
        yield value


def _item(data, at, depth):
    require(at < len(data), "E-CBOR", "the file is truncated")
    major, minor = data[at] >> 5, data[at] & 31
    at += 1
    if major == 7:
        return _simple(data, at, minor)
    length, at = _length(data, at, minor)
    if major == 0:
        require(length < 1 << 63, "E-CBOR", "an integer is beyond 2^63 - 1")
        return length, at
    if major == 1:
        require(length < 1 << 63, "E-CBOR", "an integer is below -2^63")
        return -1 - length, at
    # Every byte, element or entry takes at least a byte of what is left.
    require(length <= len(data) - at, "E-CBOR", "a length is beyond the end of the file")
    if major in (2, 3):
        return _string(data[at : at + length], major == 3), at + length
    require(major in (4, 5), "E-CBOR", f"major type {major} does not occur in certificates")
    require(depth < NESTING, "E-LIMIT", "arrays and maps are nested too deep")
    return _array(data, at, depth, length) if major == 4 else _map(data, at, depth, length)


def _simple(data, at, minor):
    if minor in (20, 21, 22):
        return {20: False, 21: True, 22: None}[minor], at
    require(minor in FLOATS, "E-CBOR", f"simple value {minor} does not occur in certificates")
    size = struct.calcsize(FLOATS[minor])
    require(at + size <= len(data), "E-CBOR", "the file is truncated")
    value = struct.unpack_from(FLOATS[minor], data, at)[0]
    require(math.isfinite(value), "E-CBOR", "a number is not finite")
    return value, at + size


def _length(data, at, minor):
    if minor < 24:
        return minor, at
    require(minor < 28, "E-CBOR", "indefinite and reserved lengths do not occur in certificates")
    size = 1 << (minor - 24)
    require(at + size <= len(data), "E-CBOR", "the file is truncated")
    return int.from_bytes(data[at : at + size], "big"), at + size


def _string(content, is_text):
    if not is_text:
        return bytes(content)
    try:
        return str(content, "utf-8")
    except UnicodeDecodeError:
        raise CheckError("E-CBOR", "a text is not UTF-8") from None


def _array(data, at, depth, length):
    values = []
    for _ in range(length):
        value, at = _item(data, at, depth + 1)
        values.append(value)
    return values, at


def _map(data, at, depth, length):
    require(length <= KEYS, "E-LIMIT", "a map has more than 64 keys")
    values = {}
    for _ in range(length):
        key, at = _item(data, at, depth + 1)
        require(type(key) is str, "E-CBOR", "a key of a map is no text")
        require(key not in values, "E-CBOR", f"the key {key!r} occurs twice in a map")
        values[key], at = _item(data, at, depth + 1)
    return values, at
