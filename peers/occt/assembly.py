"""Writes an assembly of 501 parts as STEP: a plate with 125 bores, and in each bore a bush, a pin, a washer and a screw.

    python3 peers/occt/assembly.py assembly.step
    /usr/bin/time -v noli check assembly.step --json > report.json
    python3 peers/occt/assembly.py --report report.json

A bush of outer radius 8 is in a bore of radius 8, a pin with 0.0075 of play in it; the washer and the head of the screw rest on the
plate and on the washer, and the screw has 0.05 of play in the washer and ends above the pin. So each place has four contacts
(bush and plate, bush and washer, washer and plate, washer and screw), and no part intersects another. With --report, the verdicts are compared with
this. Needs cadquery-ocp; without it the status is 77.
"""

import json
import sys

COLUMNS, ROWS, PITCH = 25, 5, 40.0


def expected(a, b):
    """The relation of two parts, by their names."""
    # OpenCASCADE adds a number to each name.
    names = [name.rsplit("/", 1)[-1].split(" ")[0] for name in (a, b)]
    kinds, places = zip(*(name.split("-") if "-" in name else (name, "") for name in names))
    if places[0] != places[1] and "plate" not in kinds:
        return "separated"
    contacts = ({"bush", "plate"}, {"bush", "washer"}, {"washer", "plate"}, {"washer", "screw"})
    return "touching" if set(kinds) in contacts else "separated"


def compare(path):
    pairs = json.load(open(path))["pairs"]
    counts, wrong = {}, 0
    for pair in pairs:
        wanted = expected(pair["a"], pair["b"])
        key = f"{pair['relation']} ({pair['guarantee']}), expected {wanted}"
        counts[key] = counts.get(key, 0) + 1
        wrong += pair["relation"] not in (wanted, "undecided")
    for key, count in sorted(counts.items()):
        print(f"{count}\t{key}")
    sys.exit(1 if wrong else 0)


def write(path):
    try:
        from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
        from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
        from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt
        from OCP.IFSelect import IFSelect_RetDone
        from OCP.Interface import Interface_Static
        from OCP.STEPControl import STEPControl_AsIs, STEPControl_Writer
    except ImportError:
        print("skipped: OpenCASCADE is not installed; pip install cadquery-ocp")
        sys.exit(77)

    def cylinder(x, y, z, radius, height):
        axis = gp_Ax2(gp_Pnt(x, y, z), gp_Dir(0, 0, 1))
        return BRepPrimAPI_MakeCylinder(axis, radius, height).Shape()

    def ring(x, y, z, inner, outer, height):
        return BRepAlgoAPI_Cut(cylinder(x, y, z, outer, height), cylinder(x, y, z, inner, height)).Shape()

    plate = BRepPrimAPI_MakeBox(gp_Pnt(0, 0, 0), COLUMNS * PITCH, ROWS * PITCH, 20).Shape()
    parts = []
    for k in range(COLUMNS * ROWS):
        x, y = (k % COLUMNS + 0.5) * PITCH, (k // COLUMNS + 0.5) * PITCH
        plate = BRepAlgoAPI_Cut(plate, cylinder(x, y, 0, 8, 20)).Shape()
        parts.append((f"bush-{k}", ring(x, y, 0, 5, 8, 20)))
        parts.append((f"pin-{k}", cylinder(x, y, -10, 4.9925, 25)))
        parts.append((f"washer-{k}", ring(x, y, 20, 4.05, 12, 2)))
        screw = BRepAlgoAPI_Fuse(cylinder(x, y, 22, 7, 5), cylinder(x, y, 16, 4, 7)).Shape()
        parts.append((f"screw-{k}", screw))
    writer = STEPControl_Writer()
    for name, shape in [("plate", plate), *parts]:
        Interface_Static.SetCVal_s("write.step.product.name", name)
        assert writer.Transfer(shape, STEPControl_AsIs) == IFSelect_RetDone
    assert writer.Write(path) == IFSelect_RetDone


if sys.argv[1] == "--report":
    compare(sys.argv[2])
else:
    write(sys.argv[1])
