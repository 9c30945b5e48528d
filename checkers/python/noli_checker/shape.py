"""Shapes: canonical meshes, primitives, closedness, components and covers (section 3)."""

import hashlib
import struct
from fractions import Fraction

from .errors import CheckError, require

LARGEST = 2.0**300
INTEGERS = 1 << 62
COUNT = 1 << 24
EXPONENT = 1100


def canonical(triangles):
    """Nine numbers each, in the order that depends on the coordinates only."""
    rotated = []
    for t in triangles:
        require(all(abs(x) <= LARGEST for x in t), "E-MESH", "a coordinate is not finite or beyond 2^300")
        t = tuple(x + 0.0 for x in t)
        rotated.append(min(t, t[3:] + t[:3], t[6:] + t[:6]))
    return sorted(rotated)


def pack(triangles):
    return b"".join(struct.pack(">9d", *t) for t in triangles)


def unpack(data, count):
    require(len(data) == 72 * count, "E-MESH", "`triangles` has not 72 bytes for each of `count` triangles")
    triangles = [tuple(t) for t in struct.iter_unpack(">9d", data)]
    require(pack(canonical(triangles)) == data, "E-MESH", "the triangles are not in canonical form")
    return triangles


class Mesh:
    """A mesh: vertices as integers times 2^exponent, faces, components, and its cover once that was read."""

    is_mesh = True

    def __init__(self, triangles, solid):
        self.solid = solid
        index, points, self.faces = {}, [], []
        for t in triangles:
            corners = (t[:3], t[3:6], t[6:])
            for corner in corners:
                if corner not in index:
                    index[corner] = len(points)
                    points.append(corner)
            self.faces.append(tuple(index[corner] for corner in corners))
        self.exponent, self.points = _integers(points)
        if solid:
            require(self.is_closed(), "E-OPEN", "a solid mesh is not closed")
        self.components = self._components()
        self.cover = None

    def is_closed(self):
        """Whether each directed edge is there as often as its reverse."""
        balance = {}
        for a, b, c in self.faces:
            for u, v in ((a, b), (b, c), (c, a)):
                if u != v:
                    key, sign = ((u, v), 1) if u < v else ((v, u), -1)
                    balance[key] = balance.get(key, 0) + sign
        return not any(balance.values())

    def _components(self):
        """The smallest face of each class of faces connected by vertices, ascending."""
        parent = list(range(len(self.points)))

        def root(v):
            while parent[v] != v:
                parent[v] = parent[parent[v]]
                v = parent[v]
            return v

        for a, b, c in self.faces:
            parent[root(b)] = root(a)
            parent[root(c)] = root(a)
        first = {}
        for face, (a, _, _) in enumerate(self.faces):
            first.setdefault(root(a), face)
        return sorted(first.values())

    def probe(self, component):
        scale = Fraction(2) ** self.exponent
        return [x * scale for x in self.points[self.faces[self.components[component]][0]]]

    def vertices(self, face):
        scale = Fraction(2) ** self.exponent
        return [[x * scale for x in self.points[v]] for v in self.faces[face]]

    def extent(self):
        """Points whose convex hull contains the mesh, as integers times 2^exponent, with that exponent."""
        cover = self.cover
        tops = cover.children[0] if cover.is_inner[0] else [0]
        return cover.exponent, [vertex for node in tops for vertex in corners_of(cover.boxes[node])], Fraction(0)


def corners_of(box):
    c, u, v, w = box[:3], box[3:6], box[6:9], box[9:]
    signs = [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    return [[c[d] + i * u[d] + j * v[d] + k * w[d] for d in range(3)] for i, j, k in signs]


def _integers(points):
    """Coordinates as integers times one power of two."""
    ratios = [[x.as_integer_ratio() for x in point] for point in points]
    bits = max((d.bit_length() - 1 for point in ratios for _, d in point), default=0)
    return -bits, [tuple(n << (bits - d.bit_length() + 1) for n, d in point) for point in ratios]


class Cover:
    """A tree of boxes; faces are -1 - face where nodes are numbered from 0."""

    def __init__(self, mesh, nodes):
        require(type(nodes) is list and nodes, "E-COVER", "a cover has no nodes")
        require(len(nodes) <= COUNT, "E-LIMIT", "a cover has more than 2^24 nodes")
        self.children, self.is_inner, boxes, exponents = [], [], [], []
        for index, node in enumerate(nodes):
            kind, box, children = self._node(node, index, len(nodes), len(mesh.faces))
            self.is_inner.append(kind == 0)
            self.children.append(children if kind == 0 else [-1 - face for face in children])
            boxes.append(box[1:])
            exponents.append(box[0])
        self.exponent = min(min(exponents), mesh.exponent)
        self.boxes = [[x << (e - self.exponent) for x in box] for box, e in zip(boxes, exponents)]
        self._check_tree()
        self._check_boxes(mesh)

    @staticmethod
    def _node(node, index, nodes, faces):
        require(type(node) is list and len(node) == 3 and node[0] in (0, 1), "E-COVER", f"node {index} is no node")
        kind, box, listed = node
        require(type(kind) is int, "E-COVER", f"node {index} is no node")
        require(type(box) is list and len(box) == 13, "E-COVER", f"the box of node {index} has not 13 integers")
        require(all(type(x) is int for x in box), "E-COVER", f"the box of node {index} has not 13 integers")
        require(all(abs(x) <= INTEGERS for x in box), "E-LIMIT", f"the box of node {index} is beyond 2^62")
        require(abs(box[0]) <= EXPONENT, "E-COVER", f"the exponent of node {index} is beyond {EXPONENT}")
        require(type(listed) is list and listed, "E-COVER", f"node {index} has an empty list")
        low, high = (index + 1, nodes) if kind == 0 else (0, faces)
        in_range = all(type(x) is int and low <= x < high for x in listed)
        require(in_range, "E-COVER", f"the list of node {index} has an index out of range")
        return kind, box, listed

    def _check_tree(self):
        seen = [0] * len(self.boxes)
        for inner, children in zip(self.is_inner, self.children):
            if inner:
                for child in children:
                    seen[child] += 1
        require(all(count == 1 for count in seen[1:]), "E-COVER", "a node is not the child of exactly one node")

    def _check_boxes(self, mesh):
        """Every vertex of every face at or below a node is in the box of the node."""
        shift = mesh.exponent - self.exponent
        below, covered = [None] * len(self.boxes), [0] * len(mesh.faces)
        for index in reversed(range(len(self.boxes))):
            if self.is_inner[index]:
                vertices = set()
                for child in self.children[index]:
                    vertices |= below[child]
                    below[child] = None
            else:
                faces = [-1 - face for face in self.children[index]]
                for face in faces:
                    covered[face] += 1
                vertices = {v for face in faces for v in mesh.faces[face]}
            below[index] = vertices
            inside = contains(self.boxes[index])
            for v in vertices:
                point = [x << shift for x in mesh.points[v]]
                require(inside(point), "E-COVER", f"the box of node {index} misses a vertex")
        require(set(covered) == {1}, "E-COVER", "a face of the mesh is in no leaf, or in the leaves twice")


def contains(box):
    """The test of a point against a parallelepiped, by the adjugate of its edges."""
    c, u, v, w = box[:3], box[3:6], box[6:9], box[9:]
    rows = [_cross(v, w), _cross(w, u), _cross(u, v)]
    size = abs(_dot(u, rows[0]))
    require(size != 0, "E-COVER", "the box of a node is flat")

    def inside(point):
        x, y, z = point[0] - c[0], point[1] - c[1], point[2] - c[2]
        return all(-size <= row[0] * x + row[1] * y + row[2] * z <= size for row in rows)

    return inside


def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


class Primitive:
    """A box, sphere, capsule or cylinder."""

    is_mesh = False
    solid = False
    components = (0,)

    def __init__(self, kind, radius=0, length=0, size=(0, 0, 0)):
        self.kind, self.radius, self.half = kind, Fraction(radius), Fraction(length) / 2
        self.halves = [Fraction(x) / 2 for x in size]

    def probe(self, _component):
        return [Fraction(0)] * 3

    def extent(self):
        r, h = self.radius, self.half
        points = {
            "box": [[i * a for i, a in zip(signs, self.halves)] for signs in _signs(3)],
            "sphere": [[Fraction(0)] * 3],
            "capsule": [[Fraction(0), Fraction(0), i * h] for (i,) in _signs(1)],
            "cylinder": [[i * r, j * r, k * h] for i, j, k in _signs(3)],
        }[self.kind]
        return 0, points, r if self.kind in ("sphere", "capsule") else Fraction(0)

    def holds(self, y):
        """Returns `True` if all points of three intervals are in the set."""
        if self.kind == "box":
            return all(-half <= x.low and x.high <= half for x, half in zip(y, self.halves))
        across = y[0].square() + y[1].square()
        if self.kind == "sphere":
            return (across + y[2].square()).high <= self.radius**2
        beyond = max(abs(y[2].low), abs(y[2].high)) - self.half
        if self.kind == "cylinder":
            return beyond <= 0 and across.high <= self.radius**2
        return across.high + max(beyond, 0) ** 2 <= self.radius**2


def _signs(n):
    return [[1 - 2 * (k >> d & 1) for d in range(n)] for k in range(1 << n)]


def hashed(data):
    return hashlib.sha256(data).digest()


def missing(index):
    return CheckError("E-MISSING", f"the triangles of shape {index} are neither in the file nor among the files given")
