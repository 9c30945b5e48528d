"""Whatever is added up or counted is a partition: false statements that need a part twice, or one left out."""

import gzip
import hashlib
import itertools
import struct
import unittest
from fractions import Fraction

from support import check_bytes, encode, verdict


def canonical(triangles):
    out = []
    for t in triangles:
        t = tuple(float(x) for p in t for x in p)
        out.append(min(t, t[3:] + t[:3], t[6:] + t[:6]))
    return [(t[:3], t[3:6], t[6:]) for t in sorted(out)]


def tetrahedron(corner, size, inside_out=False):
    o, x, y, z = (tuple(a + size * b for a, b in zip(corner, d)) for d in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
    faces = [(o, y, x), (o, x, z), (o, z, y), (x, y, z)]
    return [f[::-1] for f in faces] if inside_out else faces


def mesh(faces):
    data = b"".join(struct.pack(">9d", *(x for p in t for x in p)) for t in faces)
    return {"kind": "mesh", "sha256": hashlib.sha256(data).digest(), "count": len(faces), "solid": True, "triangles": data}


def leaf(faces, listed):
    """A leaf of a cover in a box around all faces; coordinates are multiples of 1/8."""
    points = [p for face in faces for p in face]
    ends = [(min(p[k] for p in points), max(p[k] for p in points)) for k in range(3)]
    center, half = [int((a + b) * 8) for a, b in ends], [int((b - a) * 8) for a, b in ends]
    return [1, [-4, *center, half[0], 0, 0, 0, half[1], 0, 0, 0, half[2]], listed]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def det(u, v, w):
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])


def crossing(p, d, face):
    a, b, c = ([Fraction(x) for x in q] for q in face)
    signs = [det(d, sub(x, p), sub(y, p)) for x, y in ((a, b), (b, c), (c, a))]
    if any(x > 0 for x in signs) and any(x < 0 for x in signs):
        return 0
    assert all(signs), "another direction is needed"
    side = det(sub(b, a), sub(c, a), sub(p, a))
    return 0 if (side > 0) == (signs[0] > 0) else (1 if signs[0] > 0 else -1)


def plane(points, face):
    """A direction that parts points from a face."""
    for n in itertools.product(range(-3, 4), repeat=3):
        dots = lambda all_points: [sum(x * y for x, y in zip(n, q)) for q in all_points]
        if any(n) and min(dots(face)) > max(dots(points)):
            return list(n)
    raise ValueError("no plane")


def certificate(claim, bodies, place, proof, rays, doubled, version):
    """The statement about the first body at a place, and the second one with faces that its cover lists once more."""
    a, b = bodies
    header = {
        "format": "noli-certificate", "version": version, "generator": "by hand", "units": "", "sources": [],
        "shapes": [mesh(a), mesh(b)], "links": [{"name": "world"}],
        "bodies": [{"name": "a", "link": 0, "shape": 0, "pose": place}, {"name": "b", "link": 0, "shape": 1, "pose": [0, 0, 0]}],
        "statements": [{"claim": claim, "pairs": [[0, 1]], "region": {"at": []}}],
    }
    covers = [["cover", 0, [leaf(a, list(range(len(a))))]], ["cover", 1, [leaf(b, list(range(len(b))) + doubled)]]]
    items = covers + [["proof", 0, 0, 0, [], proof]] + ([["rays", 0, 0, *rays]] if rays else [])
    return [header, *items, ["end", len(items)]]


def apart(claim, twice, version):
    """Two bodies 5 apart: a face of the large one that is counted twice makes the small one be inside."""
    big, small = canonical(tetrahedron((0, 0, 0), 8)), canonical(tetrahedron((0, 0, 0), 1))
    place, d = [-5, 1, 1], [1000, 137, 211]
    signs = [crossing(place, d, face) for face in big]
    assert sum(signs) == 0
    doubled = [signs.index(1)] if twice else []
    ray = [d, [0] + [1] * (4 + len(doubled))]
    far = [[1, 0, 0], [[1, 0, 0]]]
    proof, rays = ([[[1, 0, 0]]], ([ray], [far])) if claim == "inside" else ([[0, 3, 0, 0, ray]], None)
    return certificate(claim, (small, big), place, proof, rays, doubled, version)


def buried(claim, twice, version):
    """A small body in the material of a solid with a cavity: a wall of it that is counted twice makes it be outside."""
    hollow = canonical(tetrahedron((0, 0, 0), 8) + tetrahedron((1, 1, 1), 1, True))
    tiny, place, d = canonical(tetrahedron((0, 0, 0), 0.25)), [0.25, 0.25, 0.25], [1000, 1009, 1021]
    signs = [crossing([Fraction(1, 4)] * 3, d, face) for face in hollow]
    assert sum(signs) == 1
    doubled = [signs.index(-1)] if twice else []
    ray = [d, [0] + [1] * (8 + len(doubled))]
    placed = list(itertools.product((0.25, 0.5), repeat=3))
    cut = [1] + [plane(placed, hollow[k]) for k in list(range(8)) + doubled]
    wall = [all(1 <= x <= 2 for p in face for x in p) for face in hollow]
    probes = [hollow[k][0] for k in sorted((wall.index(True), wall.index(False)))]
    rays_b = [[plane(placed, [probe])] * 2 for probe in probes]
    rays_b = [[n, [n]] for n, _ in rays_b]
    proof, rays = ([cut], ([ray], rays_b)) if claim == "separated" else ([[0, ray]], None)
    return certificate(claim, (tiny, hollow), place, proof, rays, doubled, version)


FORGERIES = ((apart, "inside"), (apart, "colliding"), (buried, "separated"), (buried, "not inside"))


class Partitions(unittest.TestCase):
    def test_a_face_that_is_counted_twice_proves_nothing(self):
        for make, claim in FORGERIES:
            for version in (2,) if claim == "not inside" else (1, 2):
                self.assertEqual(verdict(make(claim, True, version)), ("invalid", "E-COVER"), claim)
                self.assertIn(verdict(make(claim, False, version))[1], ("E-RAY", "E-WITNESS"), claim)

    def test_a_pair_is_disabled_once(self):
        bodies = [{"name": str(k), "link": 0, "shape": 0, "pose": [4 * k, 0, 0]} for k in range(3)]
        statement = {"claim": "separated", "pairs": [[0, 1]], "region": {"at": []}}
        header = {
            "format": "noli-certificate", "version": 2, "generator": "", "units": "", "sources": [],
            "shapes": [{"kind": "sphere", "radius": 1}], "links": [{"name": "world"}], "bodies": bodies, "statements": [statement],
        }
        sequence = [header, ["proof", 0, 0, 0, [], [[[1, 0, 0]]]], ["end", 1]]
        for disabled, code in (([[1, 2]], None), ([[1, 2], [2, 1]], "E-PAIRS"), ([[1, 0]], "E-PAIRS")):
            statement["disabled"] = [[*pair, "reason"] for pair in disabled]
            self.assertEqual(verdict(sequence)[1], code)
        statement["disabled"] = []
        self.check_packing(b"".join(map(encode, sequence)))

    def check_packing(self, plain):
        self.assertEqual(check_bytes(plain)["verdict"], "valid")
        whole = gzip.compress(plain, mtime=0)
        named = whole[:3] + b"\x08" + whole[4:10] + b"pair.cert\0" + whole[10:]
        for data in (whole, named):
            self.assertEqual(check_bytes(data)["verdict"], "valid")
        wrong = (
            whole + bytes(8), whole + b"x", whole + gzip.compress(b""), gzip.compress(plain[:40]) + gzip.compress(plain[40:]),
            whole[:3] + b"\x04" + whole[4:10] + b"\0\0" + whole[10:], whole[:3] + b"\x10" + whole[4:10] + b"note\0" + whole[10:],
            whole[:3] + b"\x01" + whole[4:], whole[:3] + b"\x80" + whole[4:], whole[:3] + b"\x08" + whole[4:10] + b"endless",
            whole[:2] + b"\x07" + whole[3:], whole[:9], whole[:-1], whole[:-8],
        )
        for number, data in enumerate(wrong):
            self.assertEqual(check_bytes(data).get("error", {}).get("code"), "E-CBOR", number)

    def test_a_map_has_at_most_64_keys(self):
        for count, code in ((64, "E-VERSION"), (65, "E-LIMIT")):
            self.assertEqual(verdict([{str(k): k for k in range(count)}])[1], code)


if __name__ == "__main__":
    unittest.main()
