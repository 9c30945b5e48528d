"""Colliding links of published robots: `noli robot check` beside Pinocchio with Coal.

`python peers/robots/srdf.py FOLDER… --noli PROGRAM [--states N] [--seed N]`, see ../README.md. Every URDF of a package below a
folder is joined with every SRDF of the package. Both are asked which links collide in the same random configurations, with
meshes as surfaces. Where they differ by more than the rounding of vertices to 32 bits, which Coal's reader makes, the triangles
of the files decide, read by trimesh and tested in doubles. Prints a table; exit code 1 if noli is wrong by them.
"""

import argparse
import csv
import functools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import numpy
import pinocchio as pin
import trimesh

# Coal's reader keeps vertices in 32 bits.
ROUNDED = 1e-7


def described(folder):
    """Pairs of URDF and SRDF of every package below a folder."""
    for package in sorted({path.parent.parent for path in Path(folder).rglob("*.srdf")}):
        for urdf in sorted(package.rglob("*.urdf")):
            for srdf in sorted(package.rglob("*.srdf")):
                yield package, urdf, srdf


def drawn(urdf, model, count, seed):
    """Random configurations: names of the joints with their values, and the vectors of Pinocchio."""
    random.seed(seed)
    joints = {joint.get("name"): joint for joint in ElementTree.parse(urdf).getroot().findall("joint")}
    followers = {}
    for name, joint in joints.items():
        mimic = joint.find("mimic")
        if mimic is not None and mimic.get("joint") in joints:
            followers[name] = mimic
    rows, vectors = [], []
    for _ in range(count):
        row, q = {}, pin.neutral(model)
        for name in model.names[1:]:
            entry = model.joints[model.getJointId(name)]
            if entry.nv != 1 or name in followers:
                continue
            if entry.nq == 2:
                row[name] = random.uniform(-math.pi, math.pi)
            else:
                low, high = model.lowerPositionLimit[entry.idx_q], model.upperPositionLimit[entry.idx_q]
                low, high = max(low, -math.pi), min(high, math.pi)
                row[name] = random.uniform(low, high) if low < high else low
        values = dict(row)
        for name, mimic in followers.items():
            leader = values.get(mimic.get("joint"), 0.0)
            values[name] = float(mimic.get("multiplier", 1)) * leader + float(mimic.get("offset", 0))
        for name, value in values.items():
            if not model.existJointName(name):
                continue
            entry = model.joints[model.getJointId(name)]
            if entry.nq == 2:
                q[entry.idx_q : entry.idx_q + 2] = math.cos(value), math.sin(value)
            elif entry.nq == 1:
                q[entry.idx_q] = value
        rows.append(row)
        vectors.append(q)
    return rows, vectors


@functools.cache
def mesh(path):
    """The triangles of a file as another library reads them, in the file's unit."""
    loaded = trimesh.load(path, process=False)
    whole = loaded.to_geometry() if isinstance(loaded, trimesh.Scene) else loaded
    return numpy.asarray(whole.vertices, dtype=float)[whole.faces]


def triangles(shape, placement):
    """The triangles of a shape of Pinocchio in the world, from its file; none for a primitive."""
    if not os.path.isfile(shape.meshPath):
        return numpy.zeros((0, 3, 3))
    scaled = mesh(shape.meshPath) * shape.meshScale
    return scaled @ placement.rotation.T + placement.translation


def meet(first, second):
    """Returns whether triangles of two meshes intersect, each edge with each triangle, in doubles."""
    lows, highs = second.min(axis=1) if len(second) else None, second.max(axis=1) if len(second) else None
    for triangle in first:
        if not len(second):
            return False
        near = second[((lows <= triangle.max(axis=0)) & (highs >= triangle.min(axis=0))).all(axis=1)]
        for other in near:
            edges = [(a[i], a[i - 2], b) for a, b in ((triangle, other), (other, triangle)) for i in range(3)]
            if any(pierces(*edge) for edge in edges):
                return True
    return False


def pierces(start, end, triangle):
    a, b, c = triangle
    normal = numpy.cross(b - a, c - a)
    below, above = normal @ (start - a), normal @ (end - a)
    if below * above > 0 or below == above:
        return False
    point = start + (end - start) * (below / (below - above))
    return all(normal @ numpy.cross(v - u, point - u) >= 0 for u, v in ((a, b), (b, c), (c, a)))


def links(model, geometry, pair):
    shapes = (geometry.geometryObjects[pair.first], geometry.geometryObjects[pair.second])
    return tuple(sorted(model.frames[shape.parentFrame].name for shape in shapes))


def pinocchio(urdf, srdf, packages, vectors_of):
    model = pin.buildModelFromUrdf(str(urdf))
    geometry = pin.buildGeomFromUrdf(model, str(urdf), pin.GeometryType.COLLISION, package_dirs=packages)
    geometry.addAllCollisionPairs()
    pin.removeCollisionPairs(model, geometry, str(srdf))
    rows, vectors = vectors_of(model)
    data, geometry_data = model.createData(), geometry.createData()
    asked = [links(model, geometry, pair) for pair in geometry.collisionPairs]
    found = []
    for q in vectors:
        pin.computeCollisions(model, data, geometry, geometry_data, q, False)
        hits = {asked[i] for i, result in enumerate(geometry_data.collisionResults) if result.isCollision()}
        found.append(hits)

    def distance(q, names):
        pin.updateGeometryPlacements(model, data, geometry, geometry_data, q)
        least, met = math.inf, False
        for i, pair in enumerate(asked):
            if pair == names:
                pin.computeDistance(geometry, geometry_data, i)
                least = min(least, geometry_data.distanceResults[i].min_distance)
                if abs(least) < ROUNDED:
                    continue
                shapes = (geometry.collisionPairs[i].first, geometry.collisionPairs[i].second)
                met |= meet(*(triangles(geometry.geometryObjects[s], geometry_data.oMg[s]) for s in shapes))
        return least, met

    return rows, vectors, set(asked), found, distance


def noli(program, urdf, srdf, packages, rows):
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "states.csv")
        with open(table, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(rows[0].keys())
            writer.writerows([repr(float(value)) for value in row.values()] for row in rows)
        command = [program, "robot", "check", str(urdf), "--srdf", str(srdf), "--states", table, "--as", "surface", "--json"]
        for package in packages:
            command += ["--packages", package]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}")
    return json.loads(done.stdout)


class Total:
    pairs = verdicts = colliding = rounding = misread = different = 0


def compared(asked, found, answer, vectors, distance, total):
    """Pairs of links whose verdicts differ, but for rounding, by configuration."""
    total.pairs += 1
    total.verdicts += len(asked) * len(vectors)
    different = 0
    disabled = {tuple(sorted(pair["links"])): pair["reason"] for pair in answer["disabled_pairs"]}
    for number, (hits, state) in enumerate(zip(found, answer["states"])):
        ours = {tuple(sorted(pair["links"])) for pair in state["pairs"]}
        total.colliding += len(hits)
        for names in (hits ^ ours) & asked:
            gap, met = distance(vectors[number], names)
            if abs(gap) < ROUNDED:
                total.rounding += 1
                continue
            if met == (names in ours):
                total.misread += 1
                continue
            different += 1
            print(f"  configuration {number}, {names}: Coal {'collides' if names in hits else 'free'}, distance {gap:.3e}; "
                  f"noli {'collides' if names in ours else 'free'} {disabled.get(names, '')}", file=sys.stderr)
    total.different += different
    return different


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--noli", required=True)
    parser.add_argument("--states", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    given = parser.parse_args(arguments)
    total = Total()
    print("| description | pairs of links | configurations | colliding | different |\n|---|---|---|---|---|")
    for folder in given.folders:
        for package, urdf, srdf in described(folder):
            if given.only not in str(urdf):
                continue
            packages = [str(package.parent), str(package.parent.parent), str(package.parent.parent.parent)]
            name = f"{urdf.name} + {srdf.name}"
            try:
                rows, vectors, asked, found, distance = pinocchio(
                    urdf, srdf, packages, lambda model: drawn(urdf, model, given.states, given.seed))
            except Exception as error:
                print(f"| {name} | Pinocchio: {str(error).splitlines()[0][:100]} |", flush=True)
                continue
            try:
                answer = noli(given.noli, urdf, srdf, packages, rows)
            except RuntimeError as error:
                print(f"| {name} | noli: {str(error)[:150]} |", flush=True)
                continue
            differing = compared(asked, found, answer, vectors, distance, total)
            colliding = sum(bool(hits) for hits in found)
            print(f"| {name} | {len(asked)} | {len(rows)} | {colliding} | {differing} |", flush=True)
    print(f"{total.pairs} descriptions, {total.verdicts:,} verdicts, {total.colliding:,} of them colliding, "
          f"{total.rounding} within the rounding of vertices to 32 bits, {total.misread} that Coal decides otherwise than the "
          f"triangles of the files, {total.different} different")
    return int(total.different > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
