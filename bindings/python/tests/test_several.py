"""Several robots: with any timing, and programs that run at once."""

import json
import pathlib

import noli
import numpy as np
import pytest

BAR = """<robot name="bar"><link name="base"/>
<link name="arm"><collision><origin xyz="0.55 0 0"/><geometry><box size="0.9 0.1 0.1"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-7" upper="7" velocity="1" effort="1"/></joint></robot>"""
MOVES = "MOVE #in\nMOVE #out\nBREAK"


def bar(x: float) -> noli.Robot:
    return noli.Robot.from_urdf_text(BAR, pose=noli.Pose([x, 0, 0]))


def turn(x: float, start: float, seconds: float = 2.0) -> noli.Trajectory:
    """A bar that turns through a half circle in two moves, and rests between them."""
    angles = start + np.radians([[0.0], [90.0], [180.0]])
    times = np.linspace(0, seconds, 3)
    return noli.Trajectory(bar(x), times, angles, np.zeros((3, 1)))


def sampled(paths: list[noli.Trajectory], starts: list[float]) -> bool:
    """True if two bars collide at one of many times: as boxes, by the exact engine."""
    box = noli.Model(noli.Convex.cuboid([0.9, 0.1, 0.1]))
    for time in np.linspace(0, 12, 3000):
        poses = []
        for path, start, x in zip(paths, starts, (0.0, 1.5), strict=True):
            angle = path.position(min(max(time - start, 0.0), path.duration))[0]
            direction = np.array([np.cos(angle), np.sin(angle), 0.0])
            pose = np.eye(4)
            pose[:3, :3] = [[direction[0], -direction[1], 0], [direction[1], direction[0], 0], [0, 0, 1]]
            pose[:3, 3] = [x, 0, 0] + 0.55 * direction
            poses.append(pose)
        if noli.overlap(box.at(poses[0]), box.at(poses[1])):
            return True
    return False


def test_trajectories_are_independent_ordered_or_collide() -> None:
    left, right = turn(0.0, -np.pi / 2), turn(1.5, np.pi / 2)
    far = noli.coordinate(left, turn(5.0, np.pi / 2))
    assert far.classification() == "independent" and far.outcome == "free" and far.waits == []
    near = noli.coordinate(left, right)
    assert near.outcome == "touching" and near.classification(2, 1) == "order-needed"
    assert near.collision is not None and near.collision["links"] == ["1/arm", "2/arm"]
    assert 0.2 < near.collision["time_s"] < 1.5 and near.collision["motions"] in ([1, 1], [2, 2])
    zone = near.pairs[0]["zones"][0]
    point = np.array(near.collision["point"])
    assert (point >= zone["space"][0]).all() and (point <= zone["space"][1]).all()
    # The order: one of both rests in its middle, or before its first move, until the other is through.
    assert near.waits is not None and len(near.waits) >= 1
    assert near.ordered_seconds is not None and near.ordered_seconds > 2.0
    assert noli.coordinate(left, right, start=[0, 20]).outcome == "free"
    assert noli.coordinate(left, turn(5.0, np.pi / 2), margin=4.0).classification() != "independent"
    assert "order-needed" in repr(near) and json.loads(near.to_json()) == near.data
    with pytest.raises(ValueError, match="no such pair"):
        near.classification(1, 3)


def test_what_is_free_as_timed_has_no_collision_in_samples() -> None:
    random = np.random.default_rng(8)
    seen = set()
    for _ in range(12):
        paths = [turn(0.0, -np.pi / 2, random.uniform(1, 4)), turn(1.5, np.pi / 2, random.uniform(1, 4))]
        starts = [0.0, float(random.uniform(0, 6))]
        found = noli.coordinate(*paths, start=starts)
        seen.add(found.outcome)
        if found.outcome == "free":
            assert not sampled(paths, starts)
        elif found.outcome == "touching":
            assert sampled(paths, starts)
    assert {"free", "touching"} <= seen


def test_bad_requests_are_refused(tmp_path: pathlib.Path) -> None:
    left = turn(0.0, -np.pi / 2)
    with pytest.raises(ValueError, match="two or more"):
        noli.coordinate(left)
    with pytest.raises(ValueError, match="start"):
        noli.coordinate(left, left, start=[0.0])
    with pytest.raises(ValueError, match="depth"):
        noli.coordinate(left, left, depth=40)
    with pytest.raises(noli.FileError, match="nothing.toml"):
        noli.coordinate(tmp_path / "nothing.toml", left)
    with pytest.raises(ValueError, match="two or more"):
        noli.run_programs(tmp_path / "nothing.toml")


def cell(folder: pathlib.Path, name: str, x: float, start: int, program: str) -> pathlib.Path:
    (folder / "bar.urdf").write_text(BAR)
    (folder / f"{name}.val").write_text(f".PROGRAM main()\n{program}\n.END\n")
    at = "".join(
        f"[[location]]\nname = '{word}'\njoints_deg = [{start + degrees}]\n" for word, degrees in (("in", 90), ("out", 180))
    )
    path = folder / f"{name}.toml"
    path.write_text(
        f"units = 'm'\nprogram = '{name}.val'\n[robot]\nurdf = 'bar.urdf'\nbase = {{ xyz = [{x}, 0, 0] }}\n"
        f"start_deg = [{start}]\n{at}"
    )
    return path


def test_programs_are_compared_as_on_the_command_line(tmp_path: pathlib.Path) -> None:
    left, right = cell(tmp_path, "left", 0, -90, MOVES), cell(tmp_path, "right", 1.5, 90, MOVES)
    found = noli.coordinate(left, right)
    assert found.classification() == "order-needed" and found.collision is not None
    assert found.collision["lines"] == [2, 2] or found.collision["lines"] == [3, 3]
    assert found.waits is not None and (found.waits[0]["before_line"], found.waits[0]["after_line"]) == (2, 3)
    # A program and a trajectory: the second passes long before the first begins.
    mixed = noli.coordinate(left, turn(1.5, np.pi / 2), start=[30, 0])
    assert mixed.outcome == "free" and mixed.robots[0]["program"] == "MAIN" and mixed.robots[1]["program"] is None


def test_programs_that_run_at_once(tmp_path: pathlib.Path) -> None:
    hit = noli.run_programs(cell(tmp_path, "a", 0, -90, MOVES), cell(tmp_path, "b", 1.5, 90, MOVES))
    assert hit.outcome == "touching" and hit.collision is not None and hit.completed
    assert hit.collision["safe_until_s"] <= hit.collision["time_s"] and hit.collision["robots"] == [1, 2]
    first = cell(tmp_path, "first", 0, -90, f"{MOVES}\nSIGNAL 7")
    second = cell(tmp_path, "second", 1.5, 90, f"WAIT SIG(7)\n{MOVES}")
    ordered = noli.run_programs(first, second)
    assert ordered.outcome == "free" and ordered.completed and ordered.collision is None and not ordered.deadlock
    assert ordered.seconds > 1.5 * hit.seconds
    stuck = noli.run_programs(
        cell(tmp_path, "c", 0, -90, "WAIT SIG(1)\nSIGNAL 2\nMOVE #in"),
        cell(tmp_path, "d", 1.5, 90, "WAIT SIG(2)\nSIGNAL 1\nMOVE #in"),
    )
    assert not stuck.completed and [one["signals"] for one in stuck.deadlock] == [[1], [2]]
    assert "deadlock" in repr(stuck)
