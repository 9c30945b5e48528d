"""Trajectories as driven: curves, blends, goals as poses, tool paths and swept volumes."""

import json
from pathlib import Path
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


def test_forms_are_those_of_files(robot: noli.Robot, tmp_path: Path) -> None:
    rows = START + np.array([[0.0] * 6, [0.3] * 6, [0.1] * 6, [0.2] * 6])
    names = [f"j{k}" for k in range(1, 7)]
    spline = noli.Trajectory.spline(robot, [0.0, 1.0, 2.0, 2.5], rows)
    assert np.allclose(spline.position(1.0), rows[1]) and np.allclose(spline.velocity(2.5), 0)
    for t in (1.0, 2.0):
        assert np.allclose(spline.acceleration(t - 1e-9), spline.acceleration(t + 1e-9), atol=1e-5)
    curve = noli.Trajectory.b_spline(robot, rows, degree=2, duration=3.0)
    assert curve.duration == 3.0 and np.allclose(curve.position(3.0), rows[-1])
    knots = [0, 0, 0, 1.5, 3, 3, 3]
    assert np.allclose(noli.Trajectory.b_spline(robot, rows, degree=2, knots=knots).position(1), curve.position(1))
    text = {"joint_names": names, "interpolation": "b-spline", "degree": 2, "knots": knots, "control_points": rows.tolist()}
    (tmp_path / "curve.json").write_text(json.dumps(text))
    read = noli.Trajectory.read(robot, tmp_path / "curve.json")
    assert np.allclose(read.position(1.0), curve.position(1.0)) and read.is_free() == curve.is_free()
    (tmp_path / "curve.json").write_text(json.dumps(text | {"degree": 12}))
    with pytest.raises(noli.FileError, match="degree"):
        noli.Trajectory.read(robot, tmp_path / "curve.json")
    with pytest.raises(ValueError, match="knots"):
        noli.Trajectory.b_spline(robot, rows)


@pytest.mark.parametrize("profile", ["trapezoidal", "s-curve"])
def test_profiles_keep_limits(robot: noli.Robot, profile: Literal["trapezoidal", "s-curve"]) -> None:
    rows = START + np.array([[0.0] * 6, [0.3] * 6, [0.1, 0, 0, 0, 0, 0]])
    most = np.array([1.0, 2.0, 1.0, 1.0, 1.0, 3.0])
    move = noli.Trajectory.straight(robot, rows, profile=profile, velocity=most, acceleration=2.0, jerk=50.0)
    for t in np.linspace(0, move.duration, 1000):
        assert (np.abs(move.velocity(t)) <= most * (1 + 1e-9)).all()
        assert (np.abs(move.acceleration(t)) <= 2.0 * (1 + 1e-9)).all()
    assert np.allclose(move.position(move.duration), rows[-1])
    with pytest.raises(ValueError, match="limit"):
        noli.Trajectory.straight(robot, rows, profile=profile, velocity=0.0)


def test_the_tool_may_deviate() -> None:
    bare = noli.Robot.puma560().disable_pair("link2", "link4").disable_pair("link4", "link6")
    move = np.stack([START, START + 0.1])
    free = noli.Trajectory(bare, [0.0, 1.0], move)
    assert free.is_free()
    flange = bare.link_poses(START)[-1][:3, 3]
    near = bare.with_body("ball", noli.Model(noli.Convex.sphere(0.05)), noli.Pose(flange + [0, 0, -0.4]))
    driven = noli.Trajectory(near, [0.0, 1.0], move)
    assert driven.is_free(tool_deviation=1e-3)
    assert not driven.is_free(tool_deviation=1.0)
    # Deviations add up, and those of a link before the tool are the tool's too.
    assert driven.is_free(tool_deviation=1e-3, tracking_error=1e-4)
    assert not driven.is_free(tool_deviation=1.0, tool="link5")
    blended = noli.drive(near, move, tool_deviation=1e-3)
    assert blended.is_free(tool_deviation=1e-3)
    with pytest.raises(ValueError, match="tool_deviation"):
        driven.is_free(tool_deviation=-1.0)


def test_searches_end_in_time(robot: noli.Robot) -> None:
    goal = START + np.array([1.2, 0, 0, 0, 0, 0])
    with pytest.warns(UserWarning, match="no path was found in .* steps with seed 1"):
        assert robot.plan(START, goal, time_limit=0.0) is None
    assert robot.plan(START, goal, time_limit=60.0) is not None
    target = tip(robot, goal)
    with pytest.warns(UserWarning, match="no path was found"):
        assert noli.plan_to_pose(robot, START, target, time_limit=0.0, position_tolerance=1e-3) is None
    assert noli.plan_to_pose(robot, START, target, time_limit=60.0, position_tolerance=1e-3) is not None
    with pytest.raises(ValueError, match="time_limit"):
        robot.plan(START, goal, time_limit=-1.0)


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


def test_swept_volumes_of_parts_enclose_every_moment() -> None:
    ball = noli.Model(noli.Convex.sphere(0.5))
    slide = noli.Motion.between(noli.Pose([0, 0, 0]), noli.Pose([3, 0, 0]))
    swept = noli.swept_volume(ball.moving(slide), error=0.1)
    true = np.pi * 0.5**2 * 3 + 4 / 3 * np.pi * 0.5**3
    low, high = swept.bounds
    assert low <= true <= high and swept.outer.is_closed and swept.error == 0.1
    assert swept.inner is not None and swept.inner.is_closed
    # No vertex is farther from the capsule than the error, and none within it.
    at = swept.outer.vertices
    far = np.linalg.norm(at - np.stack([np.clip(at[:, 0], 0, 3), 0 * at[:, 0], 0 * at[:, 0]], 1), axis=1)
    assert (far > 0.5).all() and (far <= 0.6).all()
    for a, b in swept.boxes(3):
        assert (np.array(a) < np.array(b)).all()
    screw = noli.Motion.screw(noli.Pose([1, 0, 0]), [0, 0, 0], [0, 0, 1], 3.0, 0.5)
    both = noli.swept_volume([ball.moving(slide), ball.moving(screw)], error=0.2)
    assert both.bounds[1] > high
    with pytest.raises(ValueError, match="error"):
        noli.swept_volume(ball.moving(slide), error=0.0)
    with pytest.raises(ValueError, match="cells"):
        noli.swept_volume(ball.moving(slide), error=0.01, cells=100)
    with pytest.raises(TypeError):
        noli.swept_volume([ball], error=0.1)  # type: ignore[list-item]


def test_a_trajectory_file_is_read_with_its_joints_or_not_at_all(robot: noli.Robot, tmp_path: Path) -> None:
    def written(names: list[str]) -> Path:
        points = [{"positions": [0.1 * k] * len(names), "time_from_start": k} for k in range(2)]
        path = tmp_path / "move.json"
        path.write_text(json.dumps({"joint_names": names, "points": points}))
        return path

    with pytest.raises(ValueError, match="names the joint `jX`, which does not exist; did you mean"):
        noli.Trajectory.read(robot, written(["j1", "jX"]))
    with pytest.warns(UserWarning, match="joints taken as 0: j3, j4, j5, j6"):
        assert noli.Trajectory.read(robot, written(["j1", "j2"])).duration == 1.0


def test_a_blend_without_room_says_what_is_driven(robot: noli.Robot) -> None:
    first, second = tip(robot, START).copy(), tip(robot, START).copy()
    first[2, 3] -= 0.05
    second[2, 3] -= 0.05
    second[0, 3] -= 0.02
    with pytest.warns(UserWarning, match="segment 2 is blended by 0.0100 m, not 0.0300 m"):
        noli.follow_path(robot, START, [("line", first), ("blend", 0.03), ("line", second)])
