"""OMPL's RRT-Connect for a rigid part, with Coal's mesh test as validity: `ompl JOB SEED SECONDS`, see ../README.md.

Settings are OMPL's defaults (motions checked at 1 % of the extent of the space, or at the share that `--resolution SHARE`
says). Ways are simplified as OMPL does by default, unless `--raw` is given. Seconds are of the processor.
"""

import sys
from pathlib import Path
from time import process_time

import coal
import numpy
import ompl
from ompl import base, geometric, util


def raw_mesh(path):
    data = path.read_bytes()
    vertices, triangles = numpy.frombuffer(data, "<u8", 2, 8)
    points = numpy.frombuffer(data, "<f8", 3 * vertices, 24).reshape(-1, 3)
    corners = numpy.frombuffer(data, "<u4", 3 * triangles, 24 + 24 * int(vertices)).reshape(-1, 3)
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(corners), len(points))
    model.addVertices(points)
    for corner in corners:
        model.addTriangle(*points[corner])
    model.endModel()
    return model


def place(state):
    turn = state.rotation()
    rotation = coal.Quaternion(turn.w, turn.x, turn.y, turn.z).toRotationMatrix()
    return coal.Transform3s(rotation, numpy.array([state.getX(), state.getY(), state.getZ()]))


def main(arguments):
    resolution = None
    if "--resolution" in arguments:
        at = arguments.index("--resolution")
        resolution = float(arguments[at + 1])
        del arguments[at : at + 2]
    raw = "--raw" in arguments
    job, seed, seconds = [argument for argument in arguments if argument != "--raw"]
    job, seconds = Path(job), float(seconds)
    part, rest = raw_mesh(job / "part.raw"), raw_mesh(job / "rest.raw")
    rows = numpy.loadtxt(job / "query.csv", delimiter=",", skiprows=1)
    low, high, start, goals = rows[0, :3], rows[1, :3], rows[2], rows[3:]
    util.RNG.setSeed(int(seed))
    util.setLogLevel(util.LogLevel.LOG_NONE)
    space = base.SE3StateSpace()
    bounds = base.RealVectorBounds(3)
    for k in range(3):
        bounds.setLow(k, float(low[k]))
        bounds.setHigh(k, float(high[k]))
    space.setBounds(bounds)
    setup = geometric.SimpleSetup(space)
    still, request, result = coal.Transform3s.Identity(), coal.CollisionRequest(), coal.CollisionResult()

    def is_valid(state):
        result.clear()
        return not coal.collide(part, place(state), rest, still, request, result)

    setup.setStateValidityChecker(is_valid)

    def state(row):
        made = space.allocState()
        made.setXYZ(*(float(x) for x in row[:3]))
        turn = made.rotation()
        turn.x, turn.y, turn.z, turn.w = (float(x) for x in row[3:])
        return made

    information = setup.getSpaceInformation()
    if resolution is not None:
        information.setStateValidityCheckingResolution(resolution)
    setup.setStartState(state(start))
    goal = base.GoalStates(information)
    for row in goals:
        goal.addState(state(row))
    setup.setGoal(goal)
    setup.setPlanner(geometric.RRTConnect(information))
    begun = process_time()
    solved = setup.solve(base.PlannerTerminationCondition(lambda: process_time() - begun > seconds))
    if solved and setup.haveExactSolutionPath() and not raw:
        setup.simplifySolution()
    took = process_time() - begun
    print(f"peer ompl {ompl.__version__ if hasattr(ompl, '__version__') else '2'} coal {coal.__version__}")
    if not solved or not setup.haveExactSolutionPath():
        print(f"none {took:.4f}")
        return 0
    print(f"way {took:.4f}")
    for at in setup.getSolutionPath().getStates():
        turn = at.rotation()
        print(",".join(repr(x) for x in [at.getX(), at.getY(), at.getZ(), turn.x, turn.y, turn.z, turn.w]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
