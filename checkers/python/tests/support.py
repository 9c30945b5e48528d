"""Certificates of tests as CBOR."""

import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "checkers" / "python"))

from noli_checker import cbor, check_bytes  # noqa: E402, F401


def encode(value):
    """The items of a test as CBOR."""
    if value is None or type(value) is bool:
        return bytes([{False: 0xF4, True: 0xF5, None: 0xF6}[value]])
    if type(value) is float:
        return b"\xfb" + struct.pack(">d", value)
    if type(value) is int:
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if type(value) is bytes:
        return head(2, len(value)) + value
    if type(value) is str:
        return head(3, len(value.encode())) + value.encode()
    if type(value) in (list, tuple):
        return head(4, len(value)) + b"".join(map(encode, value))
    return head(5, len(value)) + b"".join(encode(key) + encode(entry) for key, entry in value.items())


def head(major, length):
    return bytes([major << 5 | 27]) + length.to_bytes(8, "big")


def verdict(sequence):
    report = check_bytes(b"".join(map(encode, sequence)))
    return report["verdict"], report.get("error", {}).get("code")
