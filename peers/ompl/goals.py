"""OMPL's RRT-Connect to one of several configurations, and with a tool kept upright: `goals.py URDF SRDF PACKAGES SEED SECONDS`.

See ../README.md. The first line on standard input is a JSON object with `joints`, `tip` and `spheres` (x, y, z, radius); every
other one is a problem: `start`, `goals` (the solutions of the inverse kinematics, the same for both planners), and `axis`,
`direction`, `angle` of a constraint or null. The answer is `none SECONDS`, or `way SECONDS COUNT` and COUNT configurations.
Constrained problems are planned on OMPL's projected state space; with `--reject`, states that break the constraint are
invalid instead. Settings are OMPL's defaults.
"""

import json
import sys
from time import process_time

import coal
import numpy
import pinocchio as pin
from ompl import base, geometric, util
from robot import Arm


class Cone(base.Constraint):
    """The angle between an axis of the tool and a direction, beyond what is allowed."""

    def __init__(self, task, problem):
        super().__init__(len(task.columns), 1)
        self.task, self.problem = task, problem

    def function(self, x, out):
        out[0] = max(0.0, self.task.tilt(x, self.problem) - self.problem["angle"])


class Task:
    def __init__(self, arm, head):
        self.model, self.geometry = arm.model, arm.links.copy()
        moving = [k for k, part in enumerate(self.geometry.geometryObjects) if part.parentJoint != 0]
        for k, (*center, radius) in enumerate(head["spheres"]):
            place = pin.SE3(numpy.eye(3), numpy.array(center, float))
            number = self.geometry.addGeometryObject(pin.GeometryObject(f"sphere{k}", 0, place, coal.Sphere(radius)))
            for part in moving:
                self.geometry.addCollisionPair(pin.CollisionPair(part, number))
        self.data, self.geometry_data = self.model.createData(), self.geometry.createData()
        self.columns = [arm.column(name) for name in head["joints"]]
        self.tip = self.model.getFrameId(head["tip"])
        self.q = pin.neutral(self.model)

    def fill(self, x):
        for k, column in enumerate(self.columns):
            self.q[column] = x[k]
        return self.q

    def is_free(self, x):
        return not pin.computeCollisions(self.model, self.data, self.geometry, self.geometry_data, self.fill(x), True)

    def tilt(self, x, problem):
        pin.framesForwardKinematics(self.model, self.data, self.fill(x))
        axis = self.data.oMf[self.tip].rotation @ numpy.array(problem["axis"])
        return float(numpy.arccos(numpy.clip(axis @ numpy.array(problem["direction"]), -1.0, 1.0)))


def solve(task, problem, seconds, reject):
    size, is_kept = len(task.columns), problem["axis"] is not None
    ambient, bounds = base.RealVectorStateSpace(size), base.RealVectorBounds(size)
    ends = [problem["start"], *problem["goals"]]
    for k, column in enumerate(task.columns):
        values = [end[k] for end in ends]
        bounds.setLow(k, min(float(task.model.lowerPositionLimit[column]), *values))
        bounds.setHigh(k, max(float(task.model.upperPositionLimit[column]), *values))
    ambient.setBounds(bounds)
    projected = is_kept and not reject
    if projected:
        cone = Cone(task, problem)
        space = base.ProjectedStateSpace(ambient, cone)
        info = base.ConstrainedSpaceInformation(space)
    else:
        space = ambient
        info = base.SpaceInformation(space)

    def values(state):
        return [float(state[k]) for k in range(size)]

    def is_valid(state):
        x = values(state)
        return (not is_kept or task.tilt(x, problem) <= problem["angle"] + 1e-4) and task.is_free(x)

    info.setStateValidityChecker(is_valid)
    setup = geometric.SimpleSetup(info)

    def state(x):
        made = space.allocState()
        if projected:
            made.copy(numpy.array(x, float))
        else:
            for k, value in enumerate(x):
                made[k] = float(value)
        return made

    setup.setStartState(state(problem["start"]))
    goal = base.GoalStates(info)
    for end in problem["goals"]:
        goal.addState(state(end))
    setup.setGoal(goal)
    setup.setPlanner(geometric.RRTConnect(info))
    begun = process_time()
    solved = setup.solve(base.PlannerTerminationCondition(lambda: process_time() - begun > seconds))
    took = process_time() - begun
    if not solved or not setup.haveExactSolutionPath():
        return took, None
    path = setup.getSolutionPath()
    if projected:
        # States between those of the tree lie on the constraint; straight edges between far ones do not.
        path.interpolate()
    return took, [values(at) for at in path.getStates()]


def main(arguments):
    reject = "--reject" in arguments
    urdf, srdf, packages, seed, seconds = [word for word in arguments if word != "--reject"]
    util.RNG.setSeed(int(seed))
    util.setLogLevel(util.LogLevel.LOG_NONE)
    task = Task(Arm(urdf, srdf, packages), json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        took, way = solve(task, json.loads(line), float(seconds), reject)
        print(f"none {took:.6f}" if way is None else f"way {took:.6f} {len(way)}")
        for x in way or []:
            print(",".join(repr(value) for value in x))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
