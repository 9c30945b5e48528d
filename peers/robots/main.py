"""Collision states of a robot a second: Pinocchio with Coal on the meshes, MuJoCo on their hulls.

`python peers/robots/main.py URDF SRDF PACKAGES STATES.csv [COUNT]`, see ../README.md. Prints a line for each peer: its
name and version, states, colliding states, states a second of the processor.
"""

import csv
import os
import re
import sys
import tempfile
from pathlib import Path
from time import process_time
from xml.etree import ElementTree

import numpy


def states(path, count):
    with open(path, newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        values = [[float(x) for x in row] for _, row in zip(range(count), rows)]
    return names, numpy.array(values)


def say(name, colliding, total, took):
    print(f"{name}: {total} states, {colliding} collide, {total / took:,.0f} a second")


def pinocchio(urdf, srdf, packages, names, values):
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
    colliding, begun = 0, process_time()
    for row in q:
        colliding += pin.computeCollisions(model, data, geometry, geometry_data, row, True)
    say(f"pinocchio {pin.__version__} coal {coal.__version__}", colliding, len(values), process_time() - begun)


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
    colliding, begun = 0, process_time()
    for row in values:
        data.qpos[columns] = row
        mj.mj_kinematics(model, data)
        mj.mj_collision(model, data)
        colliding += data.ncon > 0
    say(f"mujoco {mj.__version__} (hulls)", colliding, len(values), process_time() - begun)


def main(arguments):
    urdf, srdf, packages, table = (str(Path(argument).resolve()) for argument in arguments[:4])
    names, values = states(table, int(arguments[4]) if len(arguments) > 4 else 20_000)
    for peer in (pinocchio, mujoco):
        try:
            peer(urdf, srdf, packages, names, values)
        except ImportError as error:
            print(f"{peer.__name__}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
