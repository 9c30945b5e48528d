"""Cells of parameters, placements with bounds, and how far bodies move in a cell (section 7)."""

from fractions import Fraction
from math import gcd

from .errors import require
from .numbers import ONE, add, dot, enclose, interval_of, mat_mat, mat_mat_exact, mat_vec, mat_vec_exact, mul
from .numbers import root_bounds, sine_cosine, sub

SPLITS = 512
IDENTITY = [[Fraction(int(i == j)) for j in range(3)] for i in range(3)]
ZERO = [Fraction(0)] * 3


class Cell:
    """A box of ranges of the parameters, with the path of splits that leads to it."""

    __slots__ = ("ranges", "path")

    def __init__(self, ranges, path=()):
        self.ranges, self.path = ranges, path

    def halves(self, dimension):
        require(len(self.path) < SPLITS, "E-LIMIT", "a path has more than 512 splits")
        low, high = self.ranges[dimension]
        middle = (low + high) / 2
        for side, part in enumerate(((low, middle), (middle, high))):
            ranges = self.ranges[:dimension] + (part,) + self.ranges[dimension + 1 :]
            yield Cell(ranges, self.path + (2 * dimension + side,))

    def can_split(self, dimension):
        in_range = type(dimension) is int and 0 <= dimension < len(self.ranges)
        return in_range and self.ranges[dimension][0] < self.ranges[dimension][1]


def whole_region(statement, model):
    if statement.region == "at":
        return Cell(())
    if statement.region in ("along", "curve"):
        return Cell(((Fraction(0), Fraction(1)),))
    free = [entry for entry in statement.ranges if entry is not None]
    return Cell(tuple((Fraction(low), Fraction(high)) for low, high in free))


def interpolated(controls, shares):
    """The value of control values that are interpolated once for each share."""
    for t in shares:
        controls = [a + t * (b - a) for a, b in zip(controls, controls[1:])]
    return controls[0]


def center_of_curve(piece, deviation, low, high):
    """Joint values in the middle of a part of a Bézier curve, and the half width of each."""
    degree, values, halves = len(piece) - 1, [], []
    for controls, more in zip(zip(*piece), deviation):
        value = interpolated(controls, [(low + high) / 2] * degree)
        part = [interpolated(controls, [low] * (degree - k) + [high] * k) for k in range(degree + 1)]
        values.append(value)
        halves.append(more + max(abs(x - value) for x in part))
    return values, halves


def center(statement, model, edge, cell):
    """Joint values in the middle of a cell, and the half width of each."""
    if statement.region == "at":
        return statement.states[0], [Fraction(0)] * len(model.joints)
    if statement.region == "curve":
        return center_of_curve(statement.pieces[edge], statement.deviation, *cell.ranges[0])
    middles = [(low + high) / 2 for low, high in cell.ranges]
    halves = [(high - low) / 2 for low, high in cell.ranges]
    if statement.region == "along":
        start, end = statement.states[edge], statement.states[edge + 1]
        values = [a + middles[0] * (b - a) for a, b in zip(start, end)]
        return values, [abs(b - a) * halves[0] for a, b in zip(start, end)]
    own, values, widths = iter(zip(middles, halves)), [], []
    for joint in model.joints:
        value, half = (None, None) if joint.mimic else next(own)
        values.append(value)
        widths.append(half)
    for number, joint in enumerate(model.joints):
        if joint.mimic:
            other, multiplier = joint.mimic[0], Fraction(joint.mimic[1])
            values[number] = multiplier * values[other] + Fraction(joint.mimic[2])
            widths[number] = abs(multiplier) * widths[other]
    return values, widths


class Frame:
    """A rigid transformation: exact, or enclosed in intervals."""

    __slots__ = ("exact", "rotation", "translation")

    def __init__(self, exact, rotation, translation):
        self.exact, self.rotation, self.translation = exact, rotation, translation

    def enclosed(self):
        if not self.exact:
            return self
        rotation = [[enclose(x) for x in row] for row in self.rotation]
        return Frame(False, rotation, [enclose(x) for x in self.translation])

    def then(self, inner):
        """The transformation that applies `inner` first."""
        if self.exact and inner.exact:
            rotation = mat_mat_exact(self.rotation, inner.rotation)
            moved = mat_vec_exact(self.rotation, inner.translation)
            return Frame(True, rotation, [a + b for a, b in zip(moved, self.translation)])
        outer, inner = self.enclosed(), inner.enclosed()
        moved = mat_vec(outer.rotation, inner.translation)
        rotation = mat_mat(outer.rotation, inner.rotation)
        return Frame(False, rotation, [add(a, b) for a, b in zip(moved, outer.translation)])


def frame_of_placement(placement):
    if placement.angles is None:
        return Frame(True, placement.rotation or IDENTITY, placement.translation)
    roll, pitch, yaw = (sine_cosine(angle) for angle in placement.angles)
    rotation = mat_mat(mat_mat(_about(2, yaw), _about(1, pitch)), _about(0, roll))
    return Frame(False, rotation, [enclose(x) for x in placement.translation])


def _about(axis, sine_and_cosine):
    """The rotation about a coordinate axis."""
    sine, cosine = sine_and_cosine
    rotation = [[(ONE, ONE) if i == j else (0, 0) for j in range(3)] for i in range(3)]
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rotation[i][i] = rotation[j][j] = cosine
    rotation[j][i], rotation[i][j] = sine, (-sine[1], -sine[0])
    return rotation


def unit_axis(axis):
    """The exact unit vector of an axis of rational length, or `None`, and its intervals."""
    low, high = root_bounds(sum(x * x for x in axis))
    if low == high:
        exact = [x / low for x in axis]
        return exact, [enclose(x) for x in exact]
    ends = [sorted((x / low, x / high)) for x in axis]
    return None, [interval_of(*pair) for pair in ends]


def frame_of_joint(joint, axis, value):
    exact, enclosed = axis
    if value == 0:
        return Frame(True, IDENTITY, ZERO)
    if not joint.turns:
        if exact:
            return Frame(True, IDENTITY, [value * x for x in exact])
        shift = enclose(value)
        return Frame(False, [[enclose(x) for x in row] for row in IDENTITY], [mul(shift, x) for x in enclosed])
    sine, cosine = sine_cosine(value)
    rest = sub((ONE, ONE), cosine)
    x, y, z = enclosed
    across = [[(0, 0), (-z[1], -z[0]), y], [z, (0, 0), (-x[1], -x[0])], [(-y[1], -y[0]), x, (0, 0)]]
    entry = lambda i, j: add(mul(rest, mul(enclosed[i], enclosed[j])), mul(sine, across[i][j]))
    rotation = [[add(entry(i, j), cosine) if i == j else entry(i, j) for j in range(3)] for i in range(3)]
    return Frame(False, rotation, [(0, 0)] * 3)


class Placed:
    """A body placed in the frame of the common link: integers over one denominator, with an error bound."""

    def __init__(self, frame, shape):
        self.frame, self.shape = frame, shape
        self.scale, self.points, self.radius = shape.extent()
        if frame.exact:
            entries = [x for row in frame.rotation for x in row] + list(frame.translation)
            denominator = 1
            for x in entries:
                denominator = denominator * x.denominator // gcd(denominator, x.denominator)
            integers = [x.numerator * (denominator // x.denominator) for x in entries]
            self.error = Fraction(0)
        else:
            entries = [x for row in frame.rotation for x in row] + list(frame.translation)
            denominator = 2 * ONE
            integers = [low + high for low, high in entries]
            self.error = self._error(entries)
        self.denominator = denominator
        self.rotation = [integers[0:3], integers[3:6], integers[6:9]]
        self.translation = integers[9:]

    def _error(self, entries):
        unit = Fraction(2) ** self.scale
        size = max(abs(x) for point in self.points for x in point) * unit + self.radius
        widths = [high - low for low, high in entries]
        return Fraction(sum(widths[:9]), 2 * ONE) * size + Fraction(sum(widths[9:]), 2 * ONE)

    def place(self, point):
        """A point of the shape, at the middle of its enclosure."""
        moved = mat_vec_exact(self.rotation, point)
        return [(a + b) / self.denominator for a, b in zip(map(Fraction, moved), self.translation)]

    def intervals(self):
        """The matrix and the translation as pairs of fractions."""
        if self.frame.exact:
            rotation = [[(x, x) for x in row] for row in self.frame.rotation]
            return rotation, [(x, x) for x in self.frame.translation]
        as_fractions = lambda x: (Fraction(x[0], ONE), Fraction(x[1], ONE))
        rotation = [[as_fractions(x) for x in row] for row in self.frame.rotation]
        return rotation, [as_fractions(x) for x in self.frame.translation]


class Kinematics:
    """Placements of pairs of bodies at the centre of a cell."""

    def __init__(self, model):
        self.model = model
        self.origins = [link.origin and frame_of_placement(link.origin) for link in model.links]
        self.poses = [frame_of_placement(body.pose) for body in model.bodies]
        self.axes = [unit_axis(joint.axis) for joint in model.joints]

    def paths(self, a, b):
        """The links below the common one, from it to each of two bodies."""
        links, up = self.model.links, []
        for body in (a, b):
            link, chain = self.model.bodies[body].link, []
            while link is not None:
                chain.append(link)
                link = links[link].parent
            up.append(chain[::-1])
        shared = 0
        while shared < min(map(len, up)) and up[0][shared] == up[1][shared]:
            shared += 1
        return up[0][shared:], up[1][shared:]

    def place(self, body, path, values):
        """The body in the frame of the common link, and the axes of the joints on the way."""
        frame, axes = Frame(True, IDENTITY, ZERO), []
        for link in path:
            frame = frame.then(self.origins[link])
            number = self.model.links[link].number
            if number is not None:
                axes.append((number, frame))
                joint = self.model.joints[number]
                frame = frame.then(frame_of_joint(joint, self.axes[number], values[number]))
        frame = frame.then(self.poses[body])
        return Placed(frame, self.model.shapes[self.model.bodies[body].shape]), axes

    def pair(self, a, b, values, halves):
        """Both bodies, and bounds on the motion of both against each other and of b as seen from a."""
        path_a, path_b = self.paths(a, b)
        placed_a, axes_a = self.place(a, path_a, values)
        placed_b, axes_b = self.place(b, path_b, values)
        joints = [(n, frame) for n, frame in axes_a[::-1] + axes_b if halves[n] > 0]
        widths = [halves[n] for n, _ in joints]
        lines = [self._line(n, frame) for n, frame in joints]
        reach_a, reach_b = [Fraction(0)] * len(joints), [Fraction(0)] * len(joints)
        order = list(range(len(joints)))
        self._reaches(placed_a, lines, widths, order, reach_a)
        self._reaches(placed_b, lines, widths, order[::-1], reach_b)
        motion = sum((h * min(x, y) for h, x, y in zip(widths, reach_a, reach_b)), Fraction(0))
        motion_b = sum((h * y for h, y in zip(widths, reach_b)), Fraction(0))
        return placed_a, placed_b, motion, motion_b

    def _line(self, number, frame):
        """A point and the direction of the axis of a turning joint; `None` for a slide."""
        if not self.model.joints[number].turns:
            return None
        frame = frame.enclosed()
        direction = [dot(row, self.axes[number][1]) for row in frame.rotation]
        return frame.translation, direction

    @staticmethod
    def _reaches(placed, lines, widths, order, reach):
        """Bounds on the distance of the body from each axis, with the displacement by the joints before it."""
        displaced = Fraction(0)
        for k in order:
            reach[k] = Fraction(1) if lines[k] is None else farthest(placed, lines[k]) + displaced
            displaced += widths[k] * reach[k]


def farthest(placed, line):
    """An upper bound on the distance of a point of the body from a line.

    With the middles r and u of the enclosed offset and direction, the cross product is at most
    |r × u| + (error of r)(|u| + error of u) + |r|·(error of u).
    """
    origin, direction = line
    q, unit = placed.denominator, placed.scale
    o = [low + high for low, high in origin]
    u = [low + high for low, high in direction]
    error_o = Fraction(sum(high - low for low, high in origin), 2 * ONE)
    error_u = Fraction(sum(high - low for low, high in direction), 2 * ONE)
    # Offsets over q · 2·ONE / 2^unit, cross products over another 2·ONE.
    m = [[x * 2 * ONE for x in row] for row in placed.rotation]
    shift = [t * 2 * ONE - x * q for t, x in zip(placed.translation, o)]
    if unit < 0:
        shift = [x << -unit for x in shift]
    k = [[u[2] * m[1][j] - u[1] * m[2][j] for j in range(3)], [u[0] * m[2][j] - u[2] * m[0][j] for j in range(3)], [u[1] * m[0][j] - u[0] * m[1][j] for j in range(3)]]
    c = [u[2] * shift[1] - u[1] * shift[2], u[0] * shift[2] - u[2] * shift[0], u[1] * shift[0] - u[0] * shift[1]]
    if unit > 0:
        k = [[x << unit for x in row] for row in k]
        m = [[x << unit for x in row] for row in m]
    worst = largest = 0
    for x, y, z in placed.points:
        crossed = [row[0] * x + row[1] * y + row[2] * z + d for row, d in zip(k, c)]
        worst = max(worst, sum(v * v for v in crossed))
        offset = [row[0] * x + row[1] * y + row[2] * z + d for row, d in zip(m, shift)]
        largest = max(largest, max(map(abs, offset)))
    scale = q * 2 * ONE << max(-unit, 0)
    length = root_bounds(Fraction(worst))[1] / (scale * 2 * ONE)
    error_r = placed.error + error_o
    size_u = Fraction(sum(map(abs, u)), 2 * ONE) + error_u
    return length + error_r * size_u + Fraction(3 * largest, scale) * error_u + placed.radius
