"""Collision states of a robot a second: Pinocchio with Coal on the meshes, MuJoCo on their hulls, noli on the meshes.

`python peers/robots/main.py URDF SRDF PACKAGES STATES.csv [--count N] [--noli PROGRAM] [--rounds N]`, see ../README.md. All
are asked about the same states on one thread, in turn, and each by its best round counts. Prints a table: name and version,
states, colliding states, states a second, and how many times slower than noli. Exit code 1 if those that ask about the
meshes differ in how many collide.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from xml.etree import ElementTree

import numpy


def states(path, count):
    with open(path, newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        values = [[float(x) for x in row] for _, row in zip(range(count), rows)]
    return names, numpy.array(values)


def pinocchio(urdf, srdf, packages, names, values):
    """The name, and a function that checks all states: how many collide, and seconds."""
    import coal
    import pinocchio as pin

    model = pin.buildModelFromUrdf(urdf)
    geometry = pin.buildGeomFromUrdf(model, urdf, pin.GeometryType.COLLISION, package_dirs=[packages])
    geometry.addAllCollisionPairs()
    pin.removeCollisionPairs(model, geometry, srdf)
    data, geometry_data = model.createData(), geometry.createData()
    columns = [model.joints[model.getJointId(name)].idx_q for name in names]
    q = numpy.tile(pin.neutral(model), (len(values), 1))
    q[:, columns] = values

    def check():
        colliding, begun = 0, perf_counter()
        for row in q:
            colliding += pin.computeCollisions(model, data, geometry, geometry_data, row, True)
        return int(colliding), perf_counter() - begun

    return f"pinocchio {pin.__version__}, coal {coal.__version__}", check


def mujoco(urdf, srdf, packages, names, values):
    import mujoco as mj

    tree = ElementTree.parse(urdf)
    root = tree.getroot()
    # MuJoCo reads STL and OBJ, and no `package://`.
    for link in root.findall("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
    for mesh in root.iter("mesh"):
        mesh.set("filename", re.sub("^package:/", packages, mesh.get("filename")))
    options = ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler")
    options.set("strippath", "false")
    options.set("fusestatic", "false")
    options.set("discardvisual", "true")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "robot.urdf")
        tree.write(file)
        spec = mj.MjSpec.from_file(file)
        for pair in ElementTree.parse(srdf).getroot().findall("disable_collisions"):
            if all(spec.body(pair.get(key)) for key in ("link1", "link2")):
                spec.add_exclude(bodyname1=pair.get("link1"), bodyname2=pair.get("link2"))
        model = spec.compile()
    data = mj.MjData(model)
    columns = [model.joint(name).qposadr[0] for name in names]

    def check():
        colliding, begun = 0, perf_counter()
        for row in values:
            data.qpos[columns] = row
            mj.mj_kinematics(model, data)
            mj.mj_collision(model, data)
            colliding += data.ncon > 0
        return int(colliding), perf_counter() - begun

    return f"mujoco {mj.__version__} (hulls)", check


def noli(program, urdf, srdf, packages, names, values):
    """The same for `noli robot check`, whose own clock starts behind reading and preparing, as those of the others do. It
    is asked about the states several times over: once is too short to be timed."""
    times = max(1, 200_000 // len(values))
    folder = tempfile.TemporaryDirectory()
    table = os.path.join(folder.name, "states.csv")
    with open(table, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(names)
        for _ in range(times):
            rows.writerows([repr(float(x)) for x in row] for row in values)
    command = [program, "robot", "check", urdf, "--srdf", srdf, "--packages", packages, "--states", table, "--json"]
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()

    def check(folder=folder):
        one_thread = {**os.environ, "RAYON_NUM_THREADS": "1"}
        done = subprocess.run(command, env=one_thread, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr)
        summary = json.loads(done.stdout)["summary"]
        return summary["colliding"] // times, len(values) / summary["per_second"]

    return version, check


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("urdf", "srdf", "packages", "states"):
        parser.add_argument(name, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--count", type=int, default=20_000, help="states taken of the table")
    parser.add_argument("--noli", metavar="PROGRAM", help="a release build of noli, asked too")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    names, values = states(given.states, given.count)
    robot = (given.urdf, given.srdf, given.packages, names, values)
    asked = []
    if given.noli:
        asked.append((noli(given.noli, *robot), True))
    for peer, meshes in ((pinocchio, True), (mujoco, False)):
        try:
            asked.append((peer(*robot), meshes))
        except ImportError as error:
            print(f"{peer.__name__}: {error}")
    colliding, best = {}, {}
    for _ in range(given.rounds):
        for (name, check), _ in asked:
            colliding[name], took = check()
            best[name] = min(took, best.get(name, took))
    fastest = next(iter(best.values()), 1.0)
    print("| | states | collide | a second |" + (" times as long as noli |" if given.noli else ""))
    print("|---|---|---|---|" + ("---|" if given.noli else ""))
    for name, took in best.items():
        row = f"| {name} | {len(values):,} | {colliding[name]:,} | {len(values) / took:,.0f} |"
        print(row + (f" {took / fastest:.1f} |" if given.noli else ""))
    return int(len({colliding[name] for (name, _), meshes in asked if meshes}) > 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
