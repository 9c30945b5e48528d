"""The same joint box of an arm of boxes certified by Drake (C-IRIS) and proven by noli.

    pip install drake; python3 region.py NOLI NOLI_VERIFY [HALF_WIDTH ...]

Prints processor seconds of both. Drake certifies pairs of convex bodies over a polytope of tangent half angles, in floating
point and without a file; noli writes a certificate, which noli-verify checks.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

OBSTACLES = [(1.0, 0.9, 0), (1.0, -0.9, 0), (1.0, 0, 0.9), (1.0, 0, -0.9), (-0.6, 0, 0), (2.9, 0, 0)]
AXES = ["0 0 1", "0 1 0", "0 0 1", "0 1 0"]


def arm(half):
    """A URDF: four links of boxes with joints of +-half radians, six boxes around them."""
    box = '<collision><origin xyz="{}"/><geometry><box size="{}"/></geometry></collision>'
    inertia = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = '<robot name="boxes"><link name="base">' + box.format("0 0 0", "0.2 0.2 0.2") + "</link>\n"
    for k, axis in enumerate(AXES):
        parent, start = (f"l{k - 1}", "0.55 0 0") if k else ("base", "0.15 0 0")
        text += f'<link name="l{k}">{inertia}{box.format("0.3 0 0", "0.4 0.08 0.08")}</link>\n'
        text += f'<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/><origin xyz="{start}"/>'
        text += f'<axis xyz="{axis}"/><limit lower="{-half}" upper="{half}" velocity="1" effort="1"/></joint>\n'
    for k, place in enumerate(OBSTACLES):
        place = " ".join(map(str, place))
        text += f'<link name="o{k}">{box.format("0 0 0", "0.3 0.3 0.3")}</link><joint name="f{k}" type="fixed">'
        text += f'<parent link="base"/><child link="o{k}"/><origin xyz="{place}"/></joint>\n'
    return text + "</robot>\n"


def drake(path, half):
    import numpy
    from pydrake.all import (
        AddMultibodyPlantSceneGraph,
        ClarabelSolver,
        CspaceFreePolytope,
        DiagramBuilder,
        Parser,
        SeparatingPlaneOrder,
    )

    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.0)
    Parser(plant).AddModels(path)
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    diagram = builder.Build()
    count = plant.num_positions()
    free = CspaceFreePolytope(plant, graph, SeparatingPlaneOrder.kAffine, numpy.zeros(count))
    sides = numpy.vstack([numpy.eye(count), -numpy.eye(count)])
    bounds = numpy.full(2 * count, numpy.tan(half / 2))
    options = CspaceFreePolytope.FindSeparationCertificateGivenPolytopeOptions()
    options.solver_id = ClarabelSolver.id()
    begun = time.process_time()
    success, found = free.FindSeparationCertificateGivenPolytope(sides, bounds, set(), options)
    del diagram
    return time.process_time() - begun, success, len(found)


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def main():
    noli, verify, *halves = sys.argv[1:]
    for half in map(float, halves or ["0.1", "0.3", "0.5"]):
        with tempfile.TemporaryDirectory() as folder:
            path, certificate = os.path.join(folder, "boxes.urdf"), os.path.join(folder, "boxes.cert")
            with open(path, "w") as file:
                file.write(arm(half))
            proving, proven = processor_seconds([noli, "prove", "pairs", path, "-o", certificate])
            never = proven.stdout.count("never collide")
            checking, checked = processor_seconds([verify, certificate])
            verdict = "valid" if checked.returncode == 0 else checked.stdout.strip()
            print(f"+-{half} rad: noli {never} pairs never collide, {proving:.2f} s to prove, {checking:.3f} s to check: {verdict}")
            seconds, success, count = drake(path, half)
            print(f"+-{half} rad: drake {count} pairs certified ({success}), {seconds:.2f} s", flush=True)


if __name__ == "__main__":
    main()
