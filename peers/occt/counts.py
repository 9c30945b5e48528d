"""Compares solids, and faces by kind of surface, that noli and OpenCASCADE read from STEP files.

    cargo build --release -p noli-brep --example inspect
    python3 peers/occt/counts.py target/release/examples/inspect FILE.step... [--csv record.csv]

Needs cadquery-ocp; without it nothing is compared, and the status is 77. Files of which OpenCASCADE reads no solid are
left out. The status is 1 if fewer than 95 % of the others are read with equal counts.
"""

import ast
import collections
import csv
import os
import re
import subprocess
import sys

try:
    from OCP.BRepAdaptor import BRepAdaptor_Surface
    from OCP.GeomAbs import (
        GeomAbs_BezierSurface,
        GeomAbs_BSplineSurface,
        GeomAbs_Cone,
        GeomAbs_Cylinder,
        GeomAbs_Plane,
        GeomAbs_Sphere,
        GeomAbs_SurfaceOfExtrusion,
        GeomAbs_SurfaceOfRevolution,
        GeomAbs_Torus,
    )
    from OCP.IFSelect import IFSelect_RetDone
    from OCP.STEPControl import STEPControl_Reader
    from OCP.TopAbs import TopAbs_FACE, TopAbs_SOLID
    from OCP.TopExp import TopExp_Explorer
    from OCP.TopoDS import TopoDS
except ImportError:
    print("skipped: OpenCASCADE is not installed; pip install cadquery-ocp")
    sys.exit(77)

KINDS = {
    GeomAbs_Plane: "plane",
    GeomAbs_Cylinder: "cylinder",
    GeomAbs_Cone: "cone",
    GeomAbs_Sphere: "sphere",
    GeomAbs_Torus: "torus",
    GeomAbs_SurfaceOfRevolution: "surface of revolution",
    GeomAbs_SurfaceOfExtrusion: "surface of extrusion",
    GeomAbs_BSplineSurface: "B-spline surface",
    GeomAbs_BezierSurface: "B-spline surface",
}


def explored(shape, kind):
    explorer = TopExp_Explorer(shape, kind)
    while explorer.More():
        yield explorer.Current()
        explorer.Next()


def occt(path):
    """Solids, and faces by kind, by OpenCASCADE; `None` if it reads nothing."""
    reader = STEPControl_Reader()
    if reader.ReadFile(path) != IFSelect_RetDone:
        return None
    reader.TransferRoots()
    shape = reader.OneShape()
    if shape.IsNull():
        return None
    to_face = getattr(TopoDS, "Face_s", None) or TopoDS.Face
    kinds = collections.Counter()
    for face in explored(shape, TopAbs_FACE):
        # A tessellated face has triangles and no surface.
        kinds[KINDS.get(BRepAdaptor_Surface(to_face(face)).GetType(), "triangles")] += 1
    return sum(1 for _ in explored(shape, TopAbs_SOLID)), kinds


def noli(program, paths):
    """Solids, faces by kind, and what was not read, by file."""
    environment = dict(os.environ, NO_PAIRS="1")
    output = subprocess.run([program, *paths], check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    found, path = {}, None
    for line in output.splitlines():
        if line.startswith("  unread: "):
            found[path][2].append(line.removeprefix("  unread: "))
            continue
        path, *fields = line.split("\t")
        if fields[0].startswith("error"):
            found[path] = (0, collections.Counter(), [fields[0]])
        else:
            solids = int(re.fullmatch(r"solids (\d+)", fields[0]).group(1))
            found[path] = (solids, collections.Counter(ast.literal_eval(fields[2])), [])
    return found


def text(counts):
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()) if count)


def main():
    paths = sys.argv[2:]
    record = None
    if "--csv" in paths:
        at = paths.index("--csv")
        record = paths[at + 1]
        del paths[at : at + 2]
    ours, rows = noli(sys.argv[1], paths), []
    for path in paths:
        theirs = occt(path)
        if theirs is None or theirs[0] == 0:
            continue
        solids, kinds, unread = ours[path]
        difference = []
        if solids != theirs[0]:
            difference.append(f"{solids} solids here, {theirs[0]} there")
        if kinds != theirs[1]:
            difference.append(f"faces here: {text(kinds - theirs[1]) or 'none more'}; there: "
                              f"{text(theirs[1] - kinds) or 'none more'}")
        rows.append([os.path.basename(path), solids, sum(kinds.values()), *theirs[:1], sum(theirs[1].values()),
                     "; ".join(unread), "; ".join(difference)])
    whole = sum(not row[5] for row in rows)
    equal = sum(not row[5] and not row[6] for row in rows)
    print(f"{len(rows)} files with solids by OpenCASCADE: {whole} read whole, {equal} with equal counts")
    for row in rows:
        if row[5] or row[6]:
            print(row[0], row[5] or "-", row[6] or "-", sep="\t")
    if record:
        with open(record, "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["file", "solids", "faces", "occt_solids", "occt_faces", "unread", "difference"])
            out.writerows(rows)
    sys.exit(0 if equal >= 0.95 * len(rows) else 1)


main()
