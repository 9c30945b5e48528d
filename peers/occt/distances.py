"""Compares clearances of noli with distances of OpenCASCADE, pair by pair, and the times of both.

    cargo build --release -p noli-brep --example primitives
    NOLI=target/release/examples/primitives
    python3 peers/occt/distances.py $NOLI 2000                       # primitives
    python3 peers/occt/distances.py $NOLI 100000 --seed 2026         # other ones
    python3 peers/occt/distances.py $NOLI 150 PART.step              # a part against itself
    python3 peers/occt/distances.py $NOLI 400 --mill PART.step       # a cylinder drawn back from a part
    python3 peers/occt/distances.py $NOLI 1000 FILE.step... --csv record.csv

Needs cadquery-ocp; without it nothing is compared, and the status is 77. A value counts as inside the bracket if it is
within 1e-7 of the size, the tolerance of OpenCASCADE's shapes. Pairs that disagree are decided by a third method.
For primitives it is alternating projections onto the solids in closed form, from many starts. For parts it is a
certificate: points of noli that are on both shapes and nearer than OpenCASCADE's value, or a point inside both
solids, show that OpenCASCADE is wrong; points of OpenCASCADE that are on both shapes and nearer than noli's bracket
show that noli is wrong. The status is 1 if noli is wrong.
"""

import argparse
import csv
import json
import math
import random
import statistics
import subprocess
import sys
import time

try:
    from OCP.Bnd import Bnd_Box
    from OCP.BRepBndLib import BRepBndLib
    from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeVertex, BRepBuilderAPI_Transform
    from OCP.BRepClass3d import BRepClass3d_SolidClassifier
    from OCP.BRepExtrema import BRepExtrema_DistShapeShape
    from OCP.BRepPrimAPI import (
        BRepPrimAPI_MakeBox,
        BRepPrimAPI_MakeCone,
        BRepPrimAPI_MakeCylinder,
        BRepPrimAPI_MakeSphere,
        BRepPrimAPI_MakeTorus,
    )
    from OCP.gp import gp_Pnt, gp_Quaternion, gp_Trsf, gp_Vec
    from OCP.STEPControl import STEPControl_Reader
    from OCP.TopAbs import TopAbs_IN
except ImportError:
    print("skipped: OpenCASCADE is not installed; pip install cadquery-ocp")
    sys.exit(77)

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


def bounds(shape):
    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, box, False, False)
    low, high = box.CornerMin(), box.CornerMax()
    return [(low.X(), high.X()), (low.Y(), high.Y()), (low.Z(), high.Z())]


def distance_to(shape, point):
    """The distance of a point from a shape, by OpenCASCADE."""
    vertex = BRepBuilderAPI_MakeVertex(gp_Pnt(*point)).Vertex()
    return BRepExtrema_DistShapeShape(vertex, shape).Value()


def inside_both(shapes, points):
    """A point inside both solids, by OpenCASCADE's classifier: random ones in both boxes, and near the given points."""
    ranges = [(max(a[0], b[0]), min(a[1], b[1])) for a, b in zip(*map(bounds, shapes))]
    if any(high <= low for low, high in ranges):
        return None
    generator = random.Random(2)
    classifiers = [BRepClass3d_SolidClassifier(shape) for shape in shapes]
    size = max(high - low for low, high in ranges)
    for k in range(4000):
        if points and k % 2:
            reach = size * 10 ** generator.uniform(-5, -0.5)
            point = [p + generator.gauss(0, reach) for p in points[k // 2 % len(points)]]
        else:
            point = [generator.uniform(*r) for r in ranges]
        states = []
        for classifier in classifiers:
            classifier.Perform(gp_Pnt(*point), 1e-9 * size)
            if classifier.State() != TopAbs_IN:
                break
            states.append(classifier.State())
        if len(states) == 2:
            return point
    return None


def decided_by_points(shapes, row, value, points):
    """Which of both is wrong about parts, by points on both shapes."""
    size, slack = row["size"], 1e-6 * row["size"]
    if value > row["at_most"]:
        found = inside_both(shapes, points + (row["points"] or [])) if row["at_most"] == 0.0 else None
        if found:
            return f"OpenCASCADE wrong: {found} is inside both"
        if row["points"]:
            near = math.dist(*row["points"])
            off = max(distance_to(shape, point) for shape, point in zip(shapes, row["points"]))
            if near + 2 * off < value - 1e-7 * size and off < slack:
                return f"OpenCASCADE wrong: points at {near:.9g}, {off:.1e} off the shapes"
        return "not decided"
    found = inside_both(shapes, points) if value == 0.0 else None
    if found:
        return f"noli wrong: {found} is inside both"
    if points:
        off = max(distance_to(shape, point) for shape, point in zip(shapes, points))
        if off < 1e-7 * size and math.dist(*points) + 2 * off < row["at_least"] - 1e-7 * size:
            return f"noli wrong: points at {math.dist(*points):.9g}, {off:.1e} off the shapes"
        if off >= 1e-7 * size:
            return f"OpenCASCADE wrong: its points are {off:.1e} off its shapes"
    return "not decided"


def decided_by_forms(a, b, row, value, points):
    """Which of both is wrong about primitives, by projections in closed form."""
    upper, size = third(a, b), row["size"]
    if upper < row["at_least"] - 1e-9 * size:
        return f"noli wrong: points at {upper}"
    if value > upper + 1e-7 * size:
        return f"OpenCASCADE wrong: points at {upper:.9g}"
    if value < row["at_least"]:
        off = max(math.dist(project(g, p), p) for g, p in zip((a, b), points)) if points else 0.0
        return f"OpenCASCADE wrong: its points are {off:.1e} outside" if off > 1e-7 * size else "noli wrong"
    return "not decided"


def compare(row):
    """OpenCASCADE's value of a pair, its time in milliseconds, and the verdict on both."""
    shapes = [shape(row["a"]), shape(row["b"])]
    start = time.perf_counter()
    found = BRepExtrema_DistShapeShape(*shapes)
    value = found.Value() if found.IsDone() else math.nan
    took = (time.perf_counter() - start) * 1e3
    low, high, size = row["at_least"], row["at_most"], row["size"]
    if low - 1e-7 * size <= value <= high + 1e-7 * size:
        return value, took, "inside"
    if abs(value) <= row["within"] and high <= row["within"]:
        return value, took, "inside"
    points = []
    if found.IsDone() and found.NbSolution() > 0:
        points = [[p.X(), p.Y(), p.Z()] for p in (found.PointOnShape1(1), found.PointOnShape2(1))]
    if "path" in row["a"] or "path" in row["b"]:
        return value, took, decided_by_points(shapes, row, value, points)
    return value, took, decided_by_forms(row["a"], row["b"], row, value, points)


def name(given):
    return given.get("path", given["kind"]).split("/")[-1]


def share(values, part):
    return sorted(values)[int((len(values) - 1) * part)]


def table(rows):
    """Medians and 90th percentiles by kind of pair."""
    print("| pairs | count | query | noli | OpenCASCADE | ratio |")
    print("|---|---|---|---|---|---|")
    for kind in ("apart", "in contact"):
        own = [r for r in rows if (r["relation"] == "Separated") == (kind == "apart")]
        if not own:
            continue
        theirs = [r["occt_ms"] for r in own]
        for k, query in ((0, "clearance"), (2, "overlap")):
            ours = [r["us"][k] for r in own]
            ratio = statistics.median(theirs) * 1e3 / statistics.median(ours)
            print(
                f"| {kind} | {len(own)} | {query} | {statistics.median(ours):.1f} µs ({share(ours, 0.9):.1f} µs) "
                f"| {statistics.median(theirs):.2f} ms ({share(theirs, 0.9):.2f} ms) | {ratio:.0f} |"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the example `primitives` of noli-brep")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments; --csv FILE writes a record")
    given = parser.parse_args()
    record = None
    if "--csv" in given.arguments:
        at = given.arguments.index("--csv")
        record = given.arguments[at + 1]
        del given.arguments[at : at + 2]
    command = [given.program, *given.arguments]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    rows = []
    # Line by line, so that both take turns and a run that is ended early has compared what it printed.
    for line in program.stdout:
        row = json.loads(line)
        row["value"], row["occt_ms"], row["verdict"] = compare(row)
        rows.append(row)
        if len(rows) % 5000 == 0:
            inside = sum(r["verdict"] == "inside" for r in rows)
            print(f"{len(rows)} pairs, {inside} in the bracket", file=sys.stderr, flush=True)
    if program.wait() != 0:
        sys.exit(program.returncode)
    inside = sum(r["verdict"] == "inside" for r in rows)
    wide = sum(r["at_most"] - r["at_least"] > 1e-9 * r["size"] for r in rows)
    uncertain = sum(not r["certain"] for r in rows)
    print(f"{len(rows)} pairs: {inside} values in the bracket; {uncertain} undecided, {wide} brackets wide")
    for who in ("OpenCASCADE wrong", "noli wrong", "not decided"):
        print(f"{who}: {sum(r['verdict'].startswith(who) for r in rows)}")
    for row in rows:
        if row["verdict"] != "inside":
            bracket = f"[{row['at_least']:.9g}, {row['at_most']:.9g}]"
            print(name(row["a"]), name(row["b"]), bracket, f"{row['value']:.9g}", row["verdict"], sep="\t")
    table(rows)
    if record:
        write(record, rows)
    sys.exit(1 if any(r["verdict"].startswith("noli wrong") for r in rows) else 0)


def write(path, rows):
    columns = ["a", "b", "relation", "certain", "at_least", "at_most", "occt", "verdict"]
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*columns, "clearance_us", "relation_us", "overlap_us", "occt_ms"])
        for r in rows:
            numbers = [f"{r[key]:.9g}" for key in ("at_least", "at_most", "value")]
            times = [*r["us"], round(r["occt_ms"], 3)]
            names = [name(r["a"]), name(r["b"]), r["relation"].lower(), r["certain"]]
            out.writerow([*names, *numbers, r["verdict"].split(":")[0], *times])


main()
