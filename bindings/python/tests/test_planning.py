"""Removal planning, motion planning of robots, and dynamics."""

import pathlib

import noli
import numpy as np
import pytest


def clamped(shut: bool) -> noli.World:
    """A cube between plates; if shut, between walls too."""
    world, cube = noli.World(), noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
    plate = noli.Model(noli.Mesh.cuboid([4, 4, 1]).solid())
    for name, model, z in [("low", plate, 0.0), ("peg", cube, 1.25), ("high", plate, 2.5)]:
        world.add(name, model, noli.Pose([0, 0, z]))
    wall, other = (noli.Model(noli.Mesh.cuboid(size).solid()) for size in ([0.2, 4, 3.4], [4, 0.2, 3.4]))
    if shut:
        for side in (-1, 1):
            world.add(f"wall {side}", wall, noli.Pose([1.9 * side, 0, 1.25]))
            world.add(f"other {side}", other, noli.Pose([0, 1.9 * side, 1.25]))
    return world


def test_a_removal_path_is_collision_free() -> None:
    world = clamped(shut=False)
    path = world.plan_removal("peg")
    assert path.verdict == "found" and path.blocked_by == []
    assert path.clearance is not None and path.clearance.at_least > 0.24
    assert path.poses.shape == (2, 7) and path.turned_rad == 0 and path.length > 2.5
    assert np.array_equal(path.poses[0], [0, 0, 1.25, 0, 0, 0, 1])
    for share in np.linspace(0, 1, 50):
        world.move_to("peg", noli.Pose((1 - share) * path.poses[0, :3] + share * path.poses[-1, :3]))
        assert world.touching() == []
    with pytest.raises(ValueError, match="no body `pin`"):
        world.plan_removal("pin")
    with pytest.raises(ValueError, match="exit_distance=-1"):
        world.plan_removal("peg", exit_distance=-1)


def test_infeasibility_is_proven() -> None:
    world = clamped(shut=True)
    path = world.plan_removal("peg", steps=2000)
    assert path.verdict == "blocked" and path.poses.shape == (0, 7) and path.blocked_by and path.clearance is None
    assert world.plan_removal("peg", without=["wall 1"], steps=2000).verdict == "found"


def test_a_robot_plans_a_path(arm_urdf: pathlib.Path) -> None:
    sphere = noli.Model(noli.Convex.sphere(0.05))
    arm = noli.Robot.from_urdf(arm_urdf).with_body("sphere", sphere, noli.Pose([1.5, 0, 0.6]))
    start, goal = np.array([0.5, 0.0, 0.0]), np.array([2.0, 0.0, 0.0])
    assert arm.check_edge(start, goal).kind == "at"
    path = arm.plan(start, goal)
    assert path is not None and np.array_equal(path[0], start) and np.array_equal(path[-1], goal)
    assert arm.check_path(path).kind == "free"
    again = arm.plan(start, goal, threads=1)
    assert again is not None and np.array_equal(path, again)
    with pytest.raises(ValueError, match="the goal"):
        arm.plan(start, [0.5 * np.pi, 0, 0])


def test_bodies_fall_and_rest() -> None:
    sim = noli.Dynamics(gravity=[0, 0, -10])
    sim.add_fixed("floor", noli.Model("half-space"))
    cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
    sim.add("cube", cube, noli.Pose([0, 0, 1.5]), mass=3)
    sim.advance(0.25)
    assert abs(sim.pose("cube").translation[2] - (1.5 - 5 * 0.25**2)) < 1e-9 and sim.forces() == []
    assert np.allclose(sim.velocity("cube"), [0, 0, -2.5])
    sim.advance(1.0)
    assert abs(sim.pose("cube").translation[2] - 0.5) < 1e-3 and abs(sim.time - 1.25) < 1e-12
    pushed = sum(force for *_, force in sim.forces())
    assert np.allclose(pushed, [0, 0, 30], rtol=0.05, atol=0.1)
    figures = sim.summary()
    assert figures["penetrations"] == 0 and figures["impacts"] >= 1 and figures["time_lost"] == 0
    assert sim.names == ["floor", "cube"] and len(sim) == 2
    with pytest.raises(ValueError, match="already"):
        sim.add("cube", cube)
    with pytest.raises(ValueError, match="no body `sphere`"):
        sim.pose("sphere")
    with pytest.raises(ValueError, match="restitution"):
        sim.add("sphere", cube, restitution=2)
    with pytest.raises(ValueError, match="seconds"):
        sim.advance(-1)


def test_initial_overlap_is_an_error() -> None:
    sphere = noli.Model(noli.Convex.sphere(1))
    sim = noli.Dynamics()
    sim.add("a", sphere)
    sim.add("b", sphere, noli.Pose([1, 0, 0]), velocity=[1, 0, 0])
    with pytest.raises(ValueError, match="`a` and `b` overlap at the start"):
        sim.advance(0.1)
    sim.exclude("a", "b")
    sim.advance(0.1)
    assert abs(sim.pose("b").translation[0] - 1.1) < 1e-9
    lift = noli.Motion.between(noli.Pose([9, 0, 0]), noli.Pose([9, 0, 1]))
    sim.add_driven("lift", sphere, lift, 0.5)
    sim.advance(0.25)
    assert abs(sim.pose("lift").translation[2] - 0.5) < 1e-9
