"""Trees, cuts, rays and witnesses (sections 7 to 9)."""

from fractions import Fraction

from .errors import require
from .kinematics import center, whole_region
from .numbers import Interval, around, difference, interval_det, interval_dot, root_bounds
from .shape import INTEGERS


class Pair:
    """Two placed bodies with the bounds of a cell."""

    def __init__(self, a, b, motion, motion_b):
        self.a, self.b, self.motion, self.motion_b = a, b, motion, motion_b
        self.error = a.error + b.error


class Clearance:
    """The smallest proven distance of the planes that were seen."""

    def __init__(self):
        self.least = None

    def include(self, margin, length_squared, slack):
        """A plane with `margin / sqrt(length_squared) - slack`; the margin is positive."""
        if self.least is not None:
            bound = self.least + slack
            if bound <= 0 or margin * margin >= bound * bound * length_squared:
                return
        least = margin / root_bounds(Fraction(length_squared))[1] - slack
        self.least = least if self.least is None else min(least, self.least)

    def merge(self, other):
        if other is not None and (self.least is None or other < self.least):
            self.least = other


class Checker:
    """Checks the items of a certificate, each on its own."""

    def __init__(self, model, kinematics):
        self.model, self.kinematics = model, kinematics

    def proof(self, statement, pair, edge, path, tree):
        """Returns the obligations that the tree adds, and the smallest clearance."""
        region = self._cell(statement, path)
        require(type(tree) is list and tree and tree != [None], "E-TREE", "the tree proves nothing")
        stack, added, clearance = [region], [], Clearance()
        for token in tree:
            require(stack, "E-TREE", "tokens are left after the tree")
            cell = stack.pop()
            if token is None:
                added.append(cell.path)
            elif type(token) is list:
                self._leaf(statement, pair, edge, cell, token, clearance)
            else:
                require(cell.can_split(token), "E-TREE", f"the token {str(token)[:40]} splits no parameter")
                low, high = cell.halves(token)
                stack += (high, low)
        require(not stack, "E-TREE", "the tree ends too early")
        return added, clearance.least

    def _cell(self, statement, path):
        cell = whole_region(statement, self.model)
        require(len(path) <= 512, "E-LIMIT", "a path has more than 512 splits")
        for step in path:
            right = type(step) is int and step >= 0 and cell.can_split(step // 2)
            require(right, "E-OBLIGATION", "the path of an item splits no parameter")
            cell = list(cell.halves(step // 2))[step % 2]
        return cell

    def _placed(self, statement, pair, edge, cell):
        values, halves = center(statement, self.model, edge, cell)
        return Pair(*self.kinematics.pair(*statement.pairs[pair], values, halves))

    def _leaf(self, statement, pair, edge, cell, tokens, clearance):
        if statement.claim == "colliding":
            right = len(tokens) >= 2 and type(tokens[0]) is int and 0 <= tokens[0] < len(statement.pairs)
            require(right, "E-WITNESS", "a witness names no pair of the statement")
            placed = self._placed(statement, tokens[0], edge, cell)
            require(is_witness(placed, tokens), "E-WITNESS", "a witness does not show a common point")
            return
        placed = self._placed(statement, pair, edge, cell)
        if statement.claim == "not inside":
            require(_is_outside(placed, tokens), "E-WITNESS", "a witness shows no point outside")
            return
        room = placed.error + placed.motion
        if statement.claim == "separated":
            bodies = [self.model.bodies[body] for body in statement.pairs[pair]]
            room += statement.clearance + bodies[0].padding + bodies[1].padding
        check_cut(placed, room, tokens, clearance)

    def rays(self, statement, pair, rays_a, rays_b):
        """Checks that the bodies are outside or inside of each other."""
        cell = whole_region(statement, self.model)
        placed = self._placed(statement, pair, 0, cell)
        a, b = placed.a, placed.b
        for rays, other, solid, inside in ((rays_a, a, b, statement.claim == "inside"), (rays_b, b, a, False)):
            count = len(other.shape.components) if solid.shape.solid else 0
            right = type(rays) is list and len(rays) == count
            require(right, "E-RAY", "there is not one ray for each component")
            for component, ray in enumerate(rays):
                number = winding(solid, other, other.shape.probe(component), ray, (solid.error, other.error))
                message = "a component is not inside" if inside else "a component is inside of the other body"
                require((number != 0) == inside, "E-RAY", message)


def check_cut(placed, room, tokens, clearance):
    """Checks that all pairs of points are further from each other than the room."""
    # A primitive has no nodes, so its root is not looked up.
    stack, slack = [(0, 0)], placed.error + placed.motion
    for token in tokens:
        require(stack, "E-CUT", "tokens are left after the cut")
        node_a, node_b = stack.pop()
        if type(token) is int and token in (0, 1):
            children = children_of(placed.a, node_a) if token == 0 else children_of(placed.b, node_b)
            require(children, "E-CUT", "a node without children is split")
            for child in reversed(children):
                stack.append((child, node_b) if token == 0 else (node_a, child))
            continue
        n = direction(token, "E-CUT")
        top_a, over_a = support(placed.a, node_a, n)
        top_b, over_b = support(placed.b, node_b, [-x for x in n])
        margin, over = -top_b * over_a - top_a * over_b, over_a * over_b
        squared = n[0] ** 2 + n[1] ** 2 + n[2] ** 2
        p, q = room.numerator, room.denominator
        holds = margin > 0 and (margin * q) ** 2 > (p * over) ** 2 * squared
        require(holds, "E-PLANE", f"the plane {n} does not separate")
        clearance.include(Fraction(margin) / over, squared, slack)
    require(not stack, "E-CUT", "the cut ends too early")


def direction(token, code):
    right = type(token) is list and len(token) == 3 and all(type(x) is int for x in token) and any(token)
    require(right, code, "a token is no direction of three integers")
    require(all(abs(x) <= INTEGERS for x in token), "E-LIMIT", "a direction is beyond 2^62")
    return token


def children_of(body, node):
    """The children of a node of a cover; faces are negative and have none, as primitives."""
    return body.shape.cover.children[node] if body.shape.is_mesh and node >= 0 else ()


def support(body, node, n):
    """An upper bound of n · x over the placed node: a numerator and a positive denominator."""
    m, shape = body.rotation, body.shape
    w = [m[0][j] * n[0] + m[1][j] * n[1] + m[2][j] * n[2] for j in range(3)]
    along = body.translation[0] * n[0] + body.translation[1] * n[1] + body.translation[2] * n[2]
    if not shape.is_mesh:
        return _support_of_primitive(shape, w, along), body.denominator
    exponent = shape.cover.exponent if node >= 0 else shape.exponent
    if node >= 0:
        box = shape.cover.boxes[node]
        top = w[0] * box[0] + w[1] * box[1] + w[2] * box[2]
        for k in (3, 6, 9):
            top += abs(w[0] * box[k] + w[1] * box[k + 1] + w[2] * box[k + 2])
    else:
        points = shape.points
        corners = (points[v] for v in shape.faces[-1 - node])
        top = max(w[0] * x + w[1] * y + w[2] * z for x, y, z in corners)
    if exponent < 0:
        return top + (along << -exponent), body.denominator << -exponent
    return (top << exponent) + along, body.denominator


def _support_of_primitive(shape, w, along):
    if shape.kind == "box":
        return along + sum(abs(x) * half for x, half in zip(w, shape.halves))
    squared = w[0] ** 2 + w[1] ** 2 + (0 if shape.kind == "cylinder" else w[2] ** 2)
    return along + shape.radius * root_bounds(Fraction(squared))[1] + abs(w[2]) * shape.half


def winding(solid, other, point, ray, errors):
    """The winding number of a point of the other body, by a ray over the cover of the solid."""
    right = type(ray) is list and len(ray) == 2 and type(ray[1]) is list
    require(right, "E-RAY", "a ray is not [direction, tokens]")
    d = direction(ray[0], "E-RAY")
    p, error = other.place(point), sum(errors)
    stack, number = [0], 0
    for token in ray[1]:
        require(stack, "E-RAY", "tokens are left after a ray")
        node = stack.pop()
        if type(token) is int and token == 0:
            children = children_of(solid, node)
            require(children, "E-RAY", "a face is split")
            stack.extend(reversed(children))
        elif type(token) is int and token == 1:
            require(node < 0, "E-RAY", "only a face is crossed")
            number += crossing(solid, -1 - node, p, d, errors)
        else:
            n = direction(token, "E-RAY")
            top, over = support(solid, node, n)
            margin = sum(x * y for x, y in zip(n, p)) - Fraction(top) / over
            ahead = sum(x * y for x, y in zip(n, d)) >= 0 and margin > 0
            holds = ahead and margin * margin > error * error * sum(x * x for x in n)
            require(holds, "E-RAY", f"the plane {n} does not exclude the ray")
    require(not stack, "E-RAY", "a ray ends too early")
    return number


def crossing(solid, face, p, d, errors):
    """1 or -1 if the ray crosses the face forwards, by the direction of the crossing; 0 if it does not."""
    corners = [[around(x, errors[0]) for x in solid.place(v)] for v in solid.shape.vertices(face)]
    p = [around(x, errors[1]) for x in p]
    signs = [sign.sign() for sign in turns([around(Fraction(x), 0) for x in d], p, corners)]
    if 1 in signs and -1 in signs:
        return 0
    require(0 not in signs, "E-RAY", "a ray passes too close to an edge")
    side = interval_det(difference(corners[1], corners[0]), difference(corners[2], corners[0]), difference(p, corners[0]))
    require(side.sign() != 0, "E-RAY", "the origin of a ray is too close to a face")
    return 0 if side.sign() == signs[0] else signs[0]


def turns(d, p, corners):
    """det(d, v1 - p, v2 - p) and so on around the triangle."""
    v1, v2, v3 = (difference(corner, p) for corner in corners)
    return interval_det(d, v1, v2), interval_det(d, v2, v3), interval_det(d, v3, v1)


def is_witness(placed, leaf):
    """Checks a leaf of a colliding statement."""
    kind, errors = leaf[1], (placed.a.error, placed.b.error + placed.motion_b)
    bodies = (placed.a, placed.b)
    if type(kind) is not int or kind not in (0, 1, 2, 3):
        return False
    if kind == 2:
        return len(leaf) == 3 and _is_common_point(placed, leaf[2])
    if len(leaf) < 4 or type(leaf[2]) is not int or leaf[2] not in (0, 1):
        return False
    side = leaf[2]
    x, y = bodies[side], bodies[1 - side]
    if kind == 0:
        return _edge_meets(x, y, (errors[side], errors[1 - side]), leaf[3:])
    if kind == 1:
        return _point_of_face_in(x, y, x.error + placed.motion_b, leaf[3:])
    right = len(leaf) == 5 and type(leaf[3]) is int and 0 <= leaf[3] < len(x.shape.components) and y.shape.solid
    return right and winding(y, x, x.shape.probe(leaf[3]), leaf[4], (errors[1 - side], errors[side])) != 0


def _is_outside(placed, leaf):
    """A point of the first body, by a vertex or its coordinates, that is outside of the solid."""
    point, shape = leaf[0] if len(leaf) == 2 else None, placed.a.shape
    if shape.is_mesh:
        if type(point) is not int or not 0 <= point < 3 * len(shape.faces):
            return False
        point = shape.vertices(point // 3)[point % 3]
    else:
        point = _vector(point)
        if not point or not shape.holds([around(x, 0) for x in point]):
            return False
    return winding(placed.b, placed.a, point, leaf[1], (placed.b.error + placed.motion_b, placed.a.error)) == 0


def _vector(value):
    """Three numbers as fractions, or `None`."""
    right = type(value) is list and len(value) == 3 and all(type(x) in (int, float) for x in value)
    return [Fraction(x) for x in value] if right else None


def _is_face(body, face):
    return body.shape.is_mesh and type(face) is int and 0 <= face < len(body.shape.faces)


def _edge_meets(x, y, errors, rest):
    right = len(rest) == 3 and _is_face(x, rest[0]) and _is_face(y, rest[2])
    if not right or type(rest[1]) is not int or rest[1] not in (0, 1, 2):
        return False
    face, k, other = rest
    ends = x.shape.vertices(face)
    p, q = ([around(c, errors[0]) for c in x.place(ends[i])] for i in (k, (k + 1) % 3))
    corners = [[around(c, errors[1]) for c in y.place(v)] for v in y.shape.vertices(other)]
    around_line = turns(difference(q, p), p, corners)
    u, v = difference(corners[1], corners[0]), difference(corners[2], corners[0])
    g = [interval_det(u, v, difference(end, corners[0])) for end in (p, q)]
    one_side = all(s.low >= 0 for s in around_line) or all(s.high <= 0 for s in around_line)
    crosses = g[0].low >= 0 >= g[1].high or g[1].low >= 0 >= g[0].high
    return one_side and crosses and any(value.sign() for value in g)


def _point_of_face_in(x, y, error, rest):
    if len(rest) != 2 or not _is_face(x, rest[0]) or y.shape.is_mesh:
        return False
    face, weights = rest
    right = type(weights) is list and len(weights) == 3 and all(type(w) is int and 0 <= w <= INTEGERS for w in weights)
    if not right or not any(weights):
        return False
    corners = x.shape.vertices(face)
    point = [sum(w * corner[k] for w, corner in zip(weights, corners)) / sum(weights) for k in range(3)]
    return _holds(y, [around(c, error) for c in x.place(point)])


def _is_common_point(placed, x):
    x = _vector(x)
    if not x or placed.a.shape.is_mesh or placed.b.shape.is_mesh:
        return False
    in_a = _holds(placed.a, [around(c, 0) for c in x])
    return in_a and _holds(placed.b, [around(c, placed.motion_b) for c in x])


def _holds(body, x):
    """Returns `True` if the points of three intervals are in the placed primitive."""
    rotation, translation = body.intervals()
    offset = [c - Interval(*t) for c, t in zip(x, translation)]
    columns = zip(*rotation)
    return body.shape.holds([interval_dot([Interval(*m) for m in column], offset) for column in columns])
