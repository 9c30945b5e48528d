"""Trajectories as driven: curves, blends, goals as poses, tool paths and swept volumes."""

from typing import Literal

import noli
import numpy as np
import pytest

START = np.array([0.2, -0.9, 1.4, 0.3, 0.9, -0.2])


@pytest.fixture(scope="module")
def robot() -> noli.Robot:
    post = noli.Model(noli.Convex.cuboid([0.08, 0.08, 1.2]))
    return noli.Robot.puma560().with_body("post", post, noli.Pose([0.75, 0.35, 0.2]))


def tip(robot: noli.Robot, q: np.ndarray) -> np.ndarray:
    return robot.link_poses(q)[..., -1, :, :]


def test_curves_are_those_of_closed_forms(robot: noli.Robot) -> None:
    ends = np.stack([START, START + 0.1])
    move = noli.Trajectory(robot, [0.0, 2.0], ends, np.zeros((2, 6)))
    for t in np.linspace(0, 2, 11):
        s = t / 2
        assert np.allclose(move.position(t), START + 0.1 * (3 * s**2 - 2 * s**3))
        assert np.allclose(move.velocity(t), 0.1 * (6 * s - 6 * s**2) / 2)
    line = noli.Trajectory(robot, [0.0, 1.0], ends)
    assert np.allclose(line.position(0.25), START + 0.025)
    with pytest.raises(ValueError):
        noli.Trajectory(robot, [0.0, 0.0], ends)
    with pytest.raises(ValueError):
        noli.Trajectory(robot, [0.0, 1.0], ends, None, ends)


def test_proofs_agree_with_samples(robot: noli.Robot) -> None:
    random = np.random.default_rng(3)
    free = 0
    for _ in range(30):
        rows = START + random.uniform(-1.2, 1.2, (3, 6))
        move = noli.Trajectory(robot, [0.0, 1.0, 2.5], rows, random.uniform(-1, 1, (3, 6)))
        samples = np.array([move.position(t) for t in np.linspace(0, 2.5, 400)])
        if move.is_free():
            free += 1
            assert not robot.check(samples).any()
            assert move.first_contact().kind == "free"
        else:
            found = move.first_contact()
            assert found.is_hit and found.parts is not None
            before = np.linspace(0, found.safe_until * 2.5, 50)[:-1]
            assert not robot.check(np.array([move.position(t) for t in before])).any()
    assert 0 < free < 30


@pytest.mark.parametrize("shape", ["smooth", "circular"])
def test_blends_keep_limits(robot: noli.Robot, shape: Literal["smooth", "circular"]) -> None:
    path = START + np.array([[0.0] * 6, [0.1, 0.1, 0, 0, 0, 0], [0.2, 0, 0, 0, 0.1, 0]])
    blended = noli.drive(robot, path, blend=0.05, blend_shape=shape, acceleration=2.0, tracking_error=1e-3)
    assert blended.is_free(tracking_error=1e-3)
    for t in np.linspace(0, blended.duration, 1000):
        assert (np.abs(blended.acceleration(t)) <= 2.0 * (1 + 1e-6)).all()
    assert np.allclose(blended.position(blended.duration), path[-1])
    again = noli.Trajectory(robot, blended.times, blended.positions, blended.velocities, blended.accelerations)
    # The same quintics by their ends instead of control values: angles of about 1 rad agree to many roundings.
    assert np.allclose(again.position(0.3), blended.position(0.3), atol=1e-9)


def test_pose_goals_are_reached_within_tolerances(robot: noli.Robot) -> None:
    goal = tip(robot, START + np.array([0.4, 0.1, -0.1, 0, 0.1, 0.3]))
    path = noli.plan_to_pose(robot, START, goal, position_tolerance=0.001, angle_tolerance=[0.01, 0.01, np.pi])
    assert path is not None and np.allclose(path[0], START)
    assert robot.check_path(path).kind == "free"
    end = tip(robot, path[-1])
    assert np.linalg.norm(end[:3, 3] - goal[:3, 3]) <= 0.001 + 1e-7
    with pytest.raises(ValueError, match="SRDF"):
        noli.plan_to_pose(robot, START, goal, group="arm")


def test_a_tool_stays_upright(robot: noli.Robot) -> None:
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]]
    goal = turn @ tip(robot, START)
    limit = np.radians(12)
    path = noli.plan_to_pose(robot, START, goal, angle_tolerance=0.02, upright=limit)
    assert path is not None
    axis = tip(robot, START)[:3, :3].T @ [0, 0, 1]
    for a, b in zip(path[:-1], path[1:], strict=True):
        q = a + np.linspace(0, 1, 200)[:, None] * (b - a)
        up = tip(robot, q)[:, :3, :3] @ axis
        # Cosines of six rotations one after the other have roundings of 1e-15.
        assert (up[:, 2] >= np.cos(limit) - 1e-9).all()


@pytest.mark.parametrize("blend", ["blend", "round"])
def test_tool_paths_keep_to_lines(robot: noli.Robot, blend: str) -> None:
    begin = tip(robot, START)
    first, second = begin.copy(), begin.copy()
    first[2, 3] -= 0.08
    second[:3, 3] += [0.0, -0.08, -0.08]
    moves = [("line", first), (blend, 0.02), ("line", second)]
    move, error = noli.follow_path(robot, START, moves, tolerance=1e-4)
    assert 0 < error <= 1e-4
    for t in np.linspace(0, move.duration, 300):
        at = tip(robot, move.position(t))[:3, 3]
        on_first = np.hypot(*(at - begin[:3, 3])[:2])
        on_second = np.hypot(*(at - second[:3, 3])[[0, 2]])
        near_vertex = np.linalg.norm(at - first[:3, 3]) <= 0.02 + 1e-4
        assert min(on_first, on_second) <= 1e-4 or near_vertex
    with pytest.raises(ValueError, match="moves"):
        noli.follow_path(robot, START, [("circle", first)])


def test_swept_volumes_enclose_samples(robot: noli.Robot) -> None:
    move = noli.Trajectory(robot, [0.0, 1.0], np.stack([START, START + 0.3]))
    outer, inner = move.swept_volume(error=0.05)
    body = noli.Model(noli.Mesh.from_trimesh(outer, solid=True))
    inside = noli.Robot.puma560().with_body("swept", body)
    q = np.array([move.position(t) for t in np.linspace(0, 1, 60)])
    for row in q[::6]:
        # Every link that moves is inside: none has a clearance from the solid.
        found = {name for pair in inside.colliding_pairs(row) for name in pair}
        assert {"swept", "link3", "link4", "link6"} <= found, found
    assert inner is None or len(inner.faces) > 0
