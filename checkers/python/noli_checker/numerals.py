"""Numbers in texts: one spelling (section 11)."""

import math
import re
from fractions import Fraction

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_INDEX = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_BLANKS = re.compile(r"[ \t\r\n]+")
LONGEST = 128


def words(text):
    """The words of a list."""
    return [word for word in _BLANKS.split(text) if word]


def number(word):
    """The double nearest to a numeral; `ValueError` if it is none."""
    if len(word) > LONGEST or not _NUMBER.fullmatch(word):
        raise ValueError(f"{word[:40]!r} is no number")
    value = float(word)
    if not math.isfinite(value):
        raise ValueError(f"{word[:40]!r} is too large")
    return value


def decimal(word):
    """The number that a numeral stands for, without rounding."""
    number(word)
    return Fraction(word)


def numbers(text, count):
    """A list of so many doubles."""
    found = [number(word) for word in words(text)]
    if len(found) != count:
        raise ValueError(f"{text[:80]!r} has not {count} numbers")
    return found


def index(word):
    if not _INDEX.fullmatch(word):
        raise ValueError(f"{word[:40]!r} is no index")
    return int(word)
