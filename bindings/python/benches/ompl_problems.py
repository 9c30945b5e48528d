"""Plans MotionBenchMaker problems by OMPL's RRT-Connect, with edges proven by noli and with OMPL's sampled edges.

    python benches/ompl_problems.py PROBLEMS ROBOT.urdf --srdf FILE [--packages DIR] [--count 100] [--time 20]

PROBLEMS is a folder of sets, or one set, of sceneNNNN.yaml and requestNNNN.yaml. Every path is judged by noli's proof
on the exact shapes. Needs the packages ompl and pyyaml.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import yaml  # type: ignore[import-untyped, unused-ignore]
from ompl import base, geometric, util  # type: ignore[import-not-found, import-untyped, unused-ignore]

import noli
import noli.ompl
from noli.checker import Checker

SHAPES = {
    "box": lambda size: noli.Convex.cuboid(size),
    "sphere": lambda size: noli.Convex.sphere(size[0]),
    "cylinder": lambda size: noli.Convex.cylinder(size[0], size[1]),
    "cone": lambda size: noli.Convex.cone(size[0], size[1]),
}


def problem(scene: Path, robot: noli.Robot) -> tuple[Checker, np.ndarray, np.ndarray]:
    """The cell of a scene, the start and the goal."""
    text, request = (
        yaml.load(path.read_text(), yaml.CSafeLoader)
        for path in (scene, scene.with_name(scene.name.replace("scene", "request")))
    )
    goal = {one["joint_name"]: one["position"] for one in request["goal_constraints"][0]["joint_constraints"]}
    state = request["start_state"]["joint_state"]
    given = dict(zip(state["name"], state["position"]))
    start = {name: given[name] for name in robot.joint_names if name in given}
    checker = Checker(robot, group=request.get("group_name") or None, default=start)
    for one in text["world"]["collision_objects"]:
        for number, (shape, pose) in enumerate(zip(one["primitives"], one["primitive_poses"])):
            model = noli.Model(SHAPES[shape["type"]](shape["dimensions"]))
            place = noli.Pose(pose["position"], pose["orientation"], quat="xyzw")
            checker.add_object(f"{one['id']}.{number}", model, place)
    names = checker.joint_names
    return checker, np.array([start[name] for name in names]), np.array([goal[name] for name in names])


def plan(checker: Checker, ends: tuple[np.ndarray, np.ndarray], seconds: float, proven: bool) -> Any:
    """The path, the seconds, and the calls of both validators."""
    information = noli.ompl.space_information(checker)
    if not proven:
        information = base.SpaceInformation(noli.ompl.state_space(checker))
        states = noli.ompl.StateValidityChecker(information, checker)
        information.setStateValidityChecker(states)
        information.setup()
    definition = base.ProblemDefinition(information)
    both = [information.allocState() for _ in ends]
    for state, q in zip(both, ends):
        noli.ompl.set_state(state, q)
    definition.setStartAndGoalStates(*both)
    planner = geometric.RRTConnect(information)
    planner.setProblemDefinition(definition)
    planner.setup()
    begin = time.perf_counter()
    solved = planner.solve(seconds)
    took = time.perf_counter() - begin
    exact = bool(solved) and definition.hasExactSolution()
    return (noli.ompl.solution(definition.getSolutionPath(), checker) if exact else None), took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", type=Path)
    parser.add_argument("urdf")
    parser.add_argument("--srdf")
    parser.add_argument("--packages", action="append", default=[])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--time", type=float, default=20.0)
    arguments = parser.parse_args()
    util.setLogLevel(util.LogLevel.LOG_ERROR)
    robot = noli.Robot.from_urdf(arguments.urdf, srdf=arguments.srdf, packages=arguments.packages)
    scenes = sorted(arguments.problems.rglob("scene*.yaml"))
    scenes = scenes[:: max(1, len(scenes) // arguments.count)][: arguments.count]
    totals = {proven: [0, 0, 0.0] for proven in (True, False)}
    skipped = 0
    for scene in scenes:
        checker, start, goal = problem(scene, robot)
        if checker.in_collision(np.array([start, goal])).any():
            skipped += 1
            continue
        for proven, total in totals.items():
            path, took = plan(checker, (start, goal), arguments.time, proven)
            total[2] += took
            if path is not None:
                total[0] += 1
                whole = checker.full(path)
                total[1] += checker.robot.check_path(whole).kind != "free"
    print(f"{len(scenes)} problems, {skipped} whose ends collide on the exact shapes")
    for proven, (solved, colliding, seconds) in totals.items():
        name = "edges proven by noli" if proven else "OMPL's sampled edges"
        print(f"{name}: {solved} solved in {seconds:.1f} s, {colliding} paths in collision")


if __name__ == "__main__":
    main()
