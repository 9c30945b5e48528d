"""OMPL's RRT-Connect for a robot arm, with Coal on its meshes as validity: `robot.py URDF SRDF PACKAGES SEED SECONDS`.

See ../README.md. Problems are asked for on standard input, a line `SCENE REQUEST` of files each (MotionBenchMaker's, in
YAML). The answer to each is a line `none SECONDS`, or `way SECONDS COUNT` and COUNT configurations as found, then
`simplified SECONDS COUNT` and those after OMPL's own simplification, its time included; seconds are of the processor.
The first line of all names the joints of a configuration. Settings are OMPL's defaults, but for what `--resolution SHARE`
says: how far apart states are that motions are checked at, as a share of the extent of the space.
"""

import sys
from itertools import product
from time import process_time

import coal
import numpy
import pinocchio as pin
import yaml
from ompl import base, geometric, util

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAKE = {
    "box": lambda x: coal.Box(*x),
    "sphere": lambda x: coal.Sphere(*x),
    "cylinder": lambda x: coal.Cylinder(x[1], x[0]),
    "cone": lambda x: coal.Cone(x[1], x[0]),
}


def load(path):
    with open(path) as file:
        return yaml.load(file, LOADER)


def pose(node):
    x, y, z, w = node.get("orientation", [0, 0, 0, 1])
    return pin.SE3(pin.Quaternion(w, x, y, z).normalized().toRotationMatrix(), numpy.array(node["position"], float))


def allowed_pairs(scene):
    matrix = scene.get("allowed_collision_matrix") or {}
    names, rows = matrix.get("entry_names", []), matrix.get("entry_values", [])
    for a, row in zip(names, rows):
        row = row["enabled"] if isinstance(row, dict) else row
        yield from ((a, b) for b, value in zip(names, row) if value)


class Arm:
    def __init__(self, urdf, srdf, packages):
        self.model = pin.buildModelFromUrdf(urdf)
        self.links = pin.buildGeomFromUrdf(self.model, urdf, pin.GeometryType.COLLISION, package_dirs=[packages])
        self.links.addAllCollisionPairs()
        pin.removeCollisionPairs(self.model, self.links, srdf)

    def column(self, name):
        return self.model.joints[self.model.getJointId(name)].idx_q

    def among(self, scene):
        """The links and what stands around them, with the pairs that are asked about."""
        geometry = self.links.copy()
        count = len(geometry.geometryObjects)
        parts = list(range(count))
        frames = [self.model.frames[geometry.geometryObjects[k].parentFrame].name for k in parts]
        allowed = set(allowed_pairs(scene))
        for pair in [pair for pair in geometry.collisionPairs]:
            if (frames[pair.first], frames[pair.second]) in allowed:
                geometry.removeCollisionPair(pair)
        for thing in scene["world"]["collision_objects"]:
            own = pose(thing["pose"]) if "pose" in thing else pin.SE3.Identity()
            for k, (shape, place) in enumerate(zip(thing.get("primitives", []), thing.get("primitive_poses", []))):
                name = f"{thing['id']}/{k + 1}"
                made = MAKE[shape["type"]](shape["dimensions"])
                number = geometry.addGeometryObject(pin.GeometryObject(name, 0, own * pose(place), made))
                for part, frame in zip(parts, frames):
                    # What stands still meets nothing else that does.
                    stands = geometry.geometryObjects[part].parentJoint == 0
                    if not stands and (frame, thing["id"]) not in allowed:
                        geometry.addCollisionPair(pin.CollisionPair(part, number))
        return geometry


def solve(arm, scene, request, seconds, resolution):
    start = request["start_state"]["joint_state"]
    goal = {joint["joint_name"]: joint["position"] for joint in request["goal_constraints"][0]["joint_constraints"]}
    model, geometry = arm.model, arm.among(scene)
    data, geometry_data = model.createData(), geometry.createData()
    q = pin.neutral(model)
    for name, value in zip(start["name"], start["position"]):
        if model.existJointName(name):
            q[arm.column(name)] = value
    columns = [arm.column(name) for name in goal]
    ends = [q[columns].copy(), numpy.array(list(goal.values()), float)]
    space = base.RealVectorStateSpace(len(columns))
    bounds = base.RealVectorBounds(len(columns))
    for k, column in enumerate(columns):
        values = [float(end[k]) for end in ends]
        bounds.setLow(k, min(float(model.lowerPositionLimit[column]), *values))
        bounds.setHigh(k, max(float(model.upperPositionLimit[column]), *values))
    space.setBounds(bounds)
    setup = geometric.SimpleSetup(space)

    def is_valid(state):
        for k, column in enumerate(columns):
            q[column] = state[k]
        return not pin.computeCollisions(model, data, geometry, geometry_data, q, True)

    setup.setStateValidityChecker(is_valid)
    if resolution is not None:
        setup.getSpaceInformation().setStateValidityCheckingResolution(resolution)

    def state(values):
        made = space.allocState()
        for k, value in enumerate(values):
            made[k] = float(value)
        return made

    def way():
        return [[at[k] for k in range(len(columns))] for at in setup.getSolutionPath().getStates()]

    setup.setStartAndGoalStates(*(state(end) for end in ends))
    setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))
    begun = process_time()
    solved = setup.solve(base.PlannerTerminationCondition(lambda: process_time() - begun > seconds))
    took = process_time() - begun
    if not solved or not setup.haveExactSolutionPath():
        return list(goal), took, None
    found = way()
    begun = process_time()
    setup.simplifySolution()
    return list(goal), took, [(took, found), (took + process_time() - begun, way())]


def say(word, took, way):
    print(f"{word} {took:.6f} {len(way)}")
    for values in way:
        print(",".join(repr(float(value)) for value in values))


def main(arguments):
    resolution = None
    if "--resolution" in arguments:
        at = arguments.index("--resolution")
        resolution = float(arguments[at + 1])
        del arguments[at : at + 2]
    urdf, srdf, packages, seed, seconds = arguments
    util.RNG.setSeed(int(seed))
    util.setLogLevel(util.LogLevel.LOG_NONE)
    arm = Arm(urdf, srdf, packages)
    print(f"peer ompl 2.0.1 coal {coal.__version__} pinocchio {pin.__version__}", flush=True)
    for line in sys.stdin:
        scene, request = line.split()
        names, took, ways = solve(arm, load(scene), load(request), float(seconds), resolution)
        print("joints " + ",".join(names))
        if ways is None:
            print(f"none {took:.6f}", flush=True)
            continue
        for word, (took, way) in zip(("way", "simplified"), ways):
            say(word, took, way)
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
