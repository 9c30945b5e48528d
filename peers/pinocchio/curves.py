"""Curves that noli proves collision-free, sampled with Pinocchio and Coal: `curves.py URDF [SRDF] --packages FOLDER`.

See ../README.md. Random linear, cubic, quintic and B-spline curves, and paths with smooth and circular blends, in a cage of
spheres. Each curve that is proven is sampled: forward kinematics by Pinocchio, every pair of meshes by Coal. A curve that is
called colliding has a configuration there whose distance by Coal is zero, or within a micrometre of it.
"""

import argparse
import time

import coal
import noli
import numpy as np
import pinocchio as pin

RADIUS = 0.2
CAGE = [
    *((0.55, 0, 0.25), (0.35, 0.35, 0.25), (0, 0.55, 0.25), (-0.55, 0, 0.25), (-0.35, -0.35, 0.25), (0, -0.55, 0.25)),
    *((0.35, -0.35, 0.25), (0.35, 0.35, 0.8), (0, 0.55, 0.8), (-0.35, 0.35, 0.8), (-0.55, 0, 0.8), (-0.35, -0.35, 0.8)),
    *((0, -0.55, 0.8), (0.35, -0.35, 0.8)),
]
TIMES = np.array([0.0, 0.5, 1.0, 1.5, 2.0])
KINDS = ["linear", "cubic", "quintic", "b-spline", "smooth blends", "circular blends"]


class Checker:
    """The robot in Pinocchio, with the pairs that noli tests."""

    def __init__(self, robot, urdf, packages, kind):
        self.model = pin.buildModelFromUrdf(urdf, mimic=True)
        self.geometry = pin.buildGeomFromUrdf(self.model, urdf, kind, package_dirs=[packages])
        parts = {}
        for number, part in enumerate(self.geometry.geometryObjects):
            parts.setdefault(self.model.frames[part.parentFrame].name, []).append(number)
        for k, center in enumerate(CAGE):
            place = pin.SE3(np.eye(3), np.array(center, float))
            made = pin.GeometryObject(f"sphere{k}", 0, place, coal.Sphere(RADIUS))
            parts[f"sphere{k}"] = [self.geometry.addGeometryObject(made)]
        disabled = {frozenset(pair[:2]) for pair in robot.disabled_pairs()}
        for a, b in (pair for pair in robot.pair_names if frozenset(pair) not in disabled):
            for x in parts[a]:
                for y in parts[b]:
                    self.geometry.addCollisionPair(pin.CollisionPair(x, y))
        self.data, self.geometry_data = self.model.createData(), self.geometry.createData()
        self.columns = [self.model.joints[self.model.getJointId(name)].idx_q for name in robot.joint_names]
        assert self.model.nq == len(self.columns), (self.model.nq, self.columns)

    def configuration(self, values):
        q = np.empty(self.model.nq)
        q[self.columns] = values
        return q

    def collides(self, values):
        q = self.configuration(values)
        return pin.computeCollisions(self.model, self.data, self.geometry, self.geometry_data, q, True)

    def distance(self, values):
        nearest = pin.computeDistances(self.model, self.data, self.geometry, self.geometry_data, self.configuration(values))
        return self.geometry_data.distanceResults[nearest].min_distance


def ranges(robot):
    """Limits of the joints; about half a turn either way where there is none."""
    return np.nan_to_num(robot.limits, neginf=-3.0, posinf=3.0).T


def b_spline(robot, points):
    """A clamped cubic B-spline with one inner knot, by the positions and velocities at its knots."""
    p = points
    # De Boor's algorithm at the knot 1 of (0, 0, 0, 0, 1, 2, 2, 2, 2).
    a, b, c = (p[1] + p[2]) / 2, p[2], (p[2] + p[3]) / 2
    left, right = (a + b) / 2, (b + c) / 2
    middle = (left + right) / 2
    velocities = np.stack([3 * (p[1] - p[0]), 3 * (right - left) / 1, 3 * (p[4] - p[3])])
    return noli.Trajectory(robot, [0.0, 1.0, 2.0], np.stack([p[0], middle, p[4]]), velocities)


def curve(robot, kind, start, random):
    """A random curve, or `None` for blends of a path that collides itself."""
    low, high = ranges(robot)
    points, length = [start], 0.6 * random.random()
    for _ in range(4):
        step = random.uniform(-1, 1, robot.dof)
        points.append(np.clip(points[-1] + step / np.linalg.norm(step) * length, low, high))
    points = np.stack(points)
    rates = [scale * (random.random(points.shape) - 0.5) for scale in (1.0, 2.0)]
    if kind == "b-spline":
        return b_spline(robot, points)
    if "blends" in kind:
        if len(set(map(tuple, points))) < 2 or robot.check_path(points).kind != "free":
            return None
        return noli.drive(robot, points, blend=0.3, blend_shape=kind.split()[0])
    return noli.Trajectory(robot, TIMES, points, *rates[: KINDS.index(kind)])


def campaign(robot, checker, kind, options, random):
    low, high = ranges(robot)
    free = colliding = samples = wrong = undecided = 0
    begun = time.process_time()
    while free + colliding < options.count and time.process_time() - begun < options.seconds:
        start = random.uniform(low, high)
        if robot.check(start):
            continue
        move = curve(robot, kind, start, random)
        if move is None:
            continue
        contact = move.first_contact()
        if contact.kind == "free":
            free += 1
            for t in np.linspace(0, move.duration, options.samples):
                wrong += checker.collides(move.position(t))
            samples += options.samples
        elif contact.touching_by is None:
            undecided += 1
        else:
            colliding += 1
            wrong += checker.distance(move.position(contact.touching_by * move.duration)) > 1e-6
    print(f"{robot.name} {kind}: {free} collision-free, {colliding} colliding, {undecided} undecided; "
          f"{samples} samples by Coal, {wrong} wrong", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("urdf")
    parser.add_argument("srdf", nargs="?")
    parser.add_argument("--packages", default=".")
    parser.add_argument("--kinds", default=",".join(KINDS))
    for name, kind, default in [("count", int, 10_000), ("samples", int, 10_000), ("seconds", float, 1e9), ("seed", int, 1)]:
        parser.add_argument(f"--{name}", type=kind, default=default)
    parser.add_argument("--visual", action="store_true", help="links collide by their visual geometry")
    options = parser.parse_args()
    robot = noli.Robot.from_urdf(options.urdf, srdf=options.srdf, packages=[options.packages], visual=options.visual)
    for k, center in enumerate(CAGE):
        robot = robot.with_body(f"sphere{k}", noli.Model(noli.Convex.sphere(RADIUS)), noli.Pose(center))
    kind = pin.GeometryType.VISUAL if options.visual else pin.GeometryType.COLLISION
    checker = Checker(robot, options.urdf, options.packages, kind)
    random = np.random.default_rng(options.seed)
    wrong = sum(campaign(robot, checker, kind, options, random) for kind in options.kinds.split(","))
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
