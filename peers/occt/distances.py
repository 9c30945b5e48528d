"""Compares clearances of noli with distances of OpenCASCADE, pair by pair.

    cargo run --release -p noli-brep --example primitives -- 1000 > pairs.jsonl
    cargo run --release -p noli-brep --example primitives -- 200 PART.step... > parts.jsonl
    python3 peers/occt/distances.py pairs.jsonl

Needs cadquery-ocp. A value counts as inside the bracket if it is within 1e-7 of the size, the tolerance of OpenCASCADE's
shapes. Pairs of primitives that disagree are decided by a third method: alternating projections onto the solids in closed
form, from many starts, and the distance of OpenCASCADE's own points from the solids.
"""

import json
import math
import random
import statistics
import sys
import time

from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.gp import gp_Quaternion, gp_Trsf, gp_Vec
from OCP.STEPControl import STEPControl_Reader

FILES = {}


def shape(given):
    kind, sizes = given["kind"], given.get("sizes")
    if kind == "file":
        if given["path"] not in FILES:
            reader = STEPControl_Reader()
            reader.ReadFile(given["path"])
            reader.TransferRoots()
            FILES[given["path"]] = reader.OneShape()
        made = FILES[given["path"]]
    else:
        maker = {
            "sphere": BRepPrimAPI_MakeSphere,
            "cylinder": BRepPrimAPI_MakeCylinder,
            "cone": BRepPrimAPI_MakeCone,
            "torus": BRepPrimAPI_MakeTorus,
            "block": BRepPrimAPI_MakeBox,
        }[kind]
        made = maker(*sizes).Shape()
    pose, move = given["pose"], gp_Trsf()
    move.SetRotation(gp_Quaternion(*pose[:4]))
    move.SetTranslationPart(gp_Vec(*pose[4:]))
    return BRepBuilderAPI_Transform(made, move, True).Shape()


def rotate(q, v, inverse=False):
    x, y, z, w = q
    if inverse:
        x, y, z = -x, -y, -z
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [
        v[0] + w * t[0] + y * t[2] - z * t[1],
        v[1] + w * t[1] + z * t[0] - x * t[2],
        v[2] + w * t[2] + x * t[1] - y * t[0],
    ]


def profile(kind, sizes, r, z):
    """The nearest point of the solid of revolution in the half plane of radius and height."""
    if kind == "cylinder":
        return min(r, sizes[0]), min(max(z, 0.0), sizes[1])
    if kind == "torus":
        major, minor = sizes
        d = math.hypot(r - major, z)
        share = min(1.0, minor / d) if d > 0 else 1.0
        return major + (r - major) * share, z * share
    low, high, height = sizes
    inside = 0 <= z <= height and r <= low + (high - low) * z / height
    if inside:
        return r, z
    candidates = [(min(r, low), 0.0), (min(r, high), height)]
    dx, dz = high - low, height
    t = min(max(((r - low) * dx + z * dz) / (dx * dx + dz * dz), 0.0), 1.0)
    candidates.append((low + dx * t, dz * t))
    return min(candidates, key=lambda p: math.hypot(p[0] - r, p[1] - z))


def project(given, point):
    """The nearest point of a primitive, in closed form."""
    pose, kind, sizes = given["pose"], given["kind"], given["sizes"]
    x, y, z = rotate(pose[:4], [p - t for p, t in zip(point, pose[4:])], inverse=True)
    if kind == "block":
        local = [min(max(c, 0.0), s) for c, s in zip((x, y, z), sizes)]
    elif kind == "sphere":
        d = math.sqrt(x * x + y * y + z * z)
        share = min(1.0, sizes[0] / d) if d > 0 else 1.0
        local = [x * share, y * share, z * share]
    else:
        r = math.hypot(x, y)
        radius, height = profile(kind, sizes, r, z)
        local = [x / r * radius, y / r * radius, height] if r > 0 else [radius, 0.0, height]
    return [p + t for p, t in zip(rotate(pose[:4], local), pose[4:])]


def third(a, b):
    """An upper bound of the distance: alternating projections from many starts."""
    generator, best = random.Random(1), math.inf
    for _ in range(60):
        q = [generator.uniform(-3, 3) + t for t in b["pose"][4:]]
        last = math.inf
        for _ in range(2000):
            p = project(a, q)
            q = project(b, p)
            found = math.dist(p, q)
            if last - found <= 1e-15:
                break
            last = found
        best = min(best, found)
    return best


def decided(a, b, row, value, points):
    """Which of both is wrong."""
    if a["kind"] == "file" or b["kind"] == "file":
        return "not decided"
    upper = third(a, b)
    low, high = row["at_least"], row["at_most"]
    size = row["size"]
    if upper < low - 1e-9 * size:
        return f"noli wrong: points at {upper}"
    if value > upper + 1e-7 * size:
        return f"OpenCASCADE wrong: points at {upper}"
    if value < low:
        off = max(math.dist(project(g, p), p) for g, p in zip((a, b), points)) if points else 0.0
        return f"OpenCASCADE's points are {off} outside" if off > 1e-7 * size else "noli wrong"
    return "not decided"


def main():
    count = inside = wide = uncertain = 0
    theirs, ours, odd = [], [], []
    for line in open(sys.argv[1]):
        row = json.loads(line)
        a, b = shape(row["a"]), shape(row["b"])
        start = time.perf_counter()
        found = BRepExtrema_DistShapeShape(a, b)
        value = found.Value() if found.IsDone() else math.nan
        theirs.append((time.perf_counter() - start) * 1e3)
        ours.append(row["us"])
        count += 1
        uncertain += not row["certain"]
        low, high, size = row["at_least"], row["at_most"], row["size"]
        wide += high - low > 1e-9 * size
        if low - 1e-7 * size <= value <= high + 1e-7 * size:
            inside += 1
            continue
        points = []
        if found.NbSolution() > 0:
            pair = found.PointOnShape1(1), found.PointOnShape2(1)
            points = [[p.X(), p.Y(), p.Z()] for p in pair]
        names = [g.get("path", g["kind"]).split("/")[-1] for g in (row["a"], row["b"])]
        odd.append((names, low, high, value, decided(row["a"], row["b"], row, value, points)))
    print(f"{count} pairs, {inside} values in the bracket, {wide} brackets wider than 1e-9 of the size, {uncertain} uncertain")
    print(f"median OpenCASCADE {statistics.median(theirs):.3f} ms, noli {statistics.median(ours):.1f} us")
    for row in odd:
        print(*row, sep="\t")


main()
