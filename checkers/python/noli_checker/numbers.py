"""Exact and enclosed numbers: fractions, intervals of fixed-point integers, sine, cosine and square roots.

An interval is a pair of integers (low, high) that stands for [low, high] / 2^SCALE.
"""

from fractions import Fraction
from math import isqrt

SCALE = 160
ONE = 1 << SCALE
ROOT_BITS = 160
TAYLOR = 256


def enclose(value):
    """The interval of a fraction."""
    numerator, denominator = value.numerator << SCALE, value.denominator
    return numerator // denominator, -(-numerator // denominator)


def add(a, b):
    return a[0] + b[0], a[1] + b[1]


def sub(a, b):
    return a[0] - b[1], a[1] - b[0]


def mul(a, b):
    products = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(products) >> SCALE, -(-max(products) >> SCALE)


def dot(a, b):
    low = high = 0
    for x, y in zip(a, b):
        product = mul(x, y)
        low, high = low + product[0], high + product[1]
    return low, high


def mat_vec(m, v):
    return [dot(row, v) for row in m]


def mat_mat(a, b):
    columns = list(zip(*b))
    return [[dot(row, column) for column in columns] for row in a]


def mat_mat_exact(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def mat_vec_exact(m, v):
    return [sum(x * y for x, y in zip(row, v)) for row in m]


def sine_cosine(x):
    """Intervals of the sine and cosine of a fraction of magnitude at most 64, by the Taylor series."""
    scaled = round(x * (1 << TAYLOR))
    sums, term, n, size = [1 << TAYLOR, 0], 1 << TAYLOR, 0, abs(x)
    # The first term left out is below 2^-120, and terms fall by half from there on.
    while abs(term) >> (TAYLOR - 121) or n <= 2 * size:
        n += 1
        term = ((term * scaled) >> TAYLOR) // n
        sums[n % 2] += term if n % 4 in (0, 1) else -term
    shift, slack = TAYLOR - SCALE, 1 << (SCALE - 100)
    cosine, sine = ((total >> shift) for total in sums)
    return (sine - slack, sine + 1 + slack), (cosine - slack, cosine + 1 + slack)


def root_bounds(value):
    """Fractions below and above the square root of a fraction; equal where it is rational."""
    p, q = value.numerator, value.denominator
    if p == 0:
        return Fraction(0), Fraction(0)
    rational = Fraction(isqrt(p), isqrt(q))
    if rational * rational == value:
        return rational, rational
    k = max(0, ROOT_BITS - (p.bit_length() - q.bit_length()) // 2)
    low = isqrt((p << 2 * k) // q)
    return Fraction(low, 1 << k), Fraction(low + 1, 1 << k)


def interval_of(low, high):
    """The interval between two fractions."""
    return enclose(low)[0], enclose(high)[1]


class Interval:
    """An interval between two fractions, for witnesses and rays."""

    __slots__ = ("low", "high")

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __add__(self, other):
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other):
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other):
        if self.low == self.high and other.low == other.high:
            product = self.low * other.low
            return Interval(product, product)
        all_products = [x * y for x in (self.low, self.high) for y in (other.low, other.high)]
        return Interval(min(all_products), max(all_products))

    def square(self):
        ends = sorted((self.low * self.low, self.high * self.high))
        return Interval(Fraction(0) if self.low < 0 < self.high else ends[0], ends[1])

    def sign(self):
        """1 or -1 if certain and not 0, else 0."""
        return 1 if self.low > 0 else -1 if self.high < 0 else 0


def around(value, error):
    return Interval(value - error, value + error)


def interval_dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def interval_det(u, v, w):
    """u · (v × w)."""
    normal = [v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]]
    return interval_dot(u, normal)


def difference(a, b):
    return [x - y for x, y in zip(a, b)]
