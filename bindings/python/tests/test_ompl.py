"""`noli.ompl`: planners of OMPL whose edges are proven, where the package `ompl` is installed."""

import numpy as np
import pytest

import noli
from noli.checker import Checker

URDF = """<robot name="planar"><link name="base"/>
<link name="a"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.9 0.06 0.06"/></geometry></collision></link>
<link name="b"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.9 0.06 0.06"/></geometry></collision></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="j2" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>
</robot>"""


def test_paths_pass_no_thin_obstacle() -> None:
    pytest.importorskip("ompl", reason="the package ompl is not installed")
    from ompl import base, geometric  # type: ignore[import-not-found, import-untyped, unused-ignore]

    import noli.ompl

    checker = Checker(noli.Robot.from_urdf_text(URDF))
    # A plate of a hundredth of the arm's length, which samples of a motion miss.
    for number, angle in enumerate((0.7, -1.9)):
        pose = noli.Pose.from_axis_angle([0, 0, 1], angle) * noli.Pose([1.7, 0, 0])
        checker.add_object(f"plate{number}", noli.Model(noli.Convex.cuboid([0.4, 0.001, 0.3])), pose)
    information = noli.ompl.space_information(checker)
    for seed in range(3):
        start, goal = information.allocState(), information.allocState()
        noli.ompl.set_state(start, [0.0, 0.05 * seed])
        noli.ompl.set_state(goal, [1.5, 0.1])
        problem = base.ProblemDefinition(information)
        problem.setStartAndGoalStates(start, goal)
        planner = geometric.RRTConnect(information)
        planner.setProblemDefinition(problem)
        planner.setup()
        assert planner.solve(10.0)
        path = noli.ompl.solution(problem.getSolutionPath(), checker)
        assert checker.robot.check_path(path).kind == "free"
        # The straight motion meets the plate.
        assert checker.first_contact(path[0], path[-1]).is_hit
        assert np.allclose(path[-1], [1.5, 0.1])
