import pathlib
import pickle

import noli
import numpy as np
import pytest


@pytest.fixture(scope="module")
def arm(arm_urdf: pathlib.Path) -> noli.Robot:
    return noli.Robot.from_urdf(arm_urdf)


def states(robot: noli.Robot, count: int, seed: int = 1) -> np.ndarray:
    low, high = robot.limits.T
    return np.random.default_rng(seed).uniform(low, high, size=(count, robot.dof))


def test_properties(arm: noli.Robot) -> None:
    assert (arm.name, arm.dof) == ("arm", 3)
    assert arm.joint_names == ["shoulder", "elbow", "wrist"]
    assert arm.all_joint_names == ["shoulder", "elbow", "wrist", "grip"]
    assert arm.limits.tolist() == [[-3, 3]] * 3
    poses = arm.link_poses(np.zeros(3))
    assert poses.shape == (len(arm.link_names), 4, 4)
    assert np.allclose(poses[arm.link_names.index("hand"), :3, 3], [0, 0, 2.3])


def test_batches_equal_single_queries(arm: noli.Robot) -> None:
    q = states(arm, 500)
    hits = arm.check(q)
    assert hits.shape == (500,) and 0 < hits.sum() < 500
    assert hits.tolist() == [arm.check(row) for row in q] == [bool(arm.colliding_pairs(row)) for row in q]
    clearances = arm.clearance(q)
    assert ((clearances.at_most == 0) == hits).all()
    out = np.zeros(500, bool)
    assert arm.check(q, out=out, threads=2) is out and (out == hits).all()
    assert (arm.check(q, device="cuda") == hits).all()
    clearance, names = arm.clearance(q[0])
    assert clearance.at_most == clearances.at_most[0] and len(names) == 2


def test_states_agree_with_the_shapes_themselves(arm: noli.Robot) -> None:
    """The verdict is that of `overlap` on the link shapes where `link_poses` puts them."""
    shapes = {
        "base": noli.Model(noli.Convex.cuboid([0.4, 0.4, 0.2])),
        "lower": noli.Model(noli.Convex.cylinder(0.8, 0.06)),
        "hand": noli.Model(noli.Mesh.cuboid([0.1, 0.1, 0.6]).solid()),
        "upper": noli.Model(noli.Convex.cylinder(0.8, 0.08)),
        "finger": noli.Model(noli.Convex.sphere(0.05)),
    }
    near = {("base", "upper"), ("upper", "lower"), ("lower", "hand"), ("hand", "finger")}
    q = states(arm, 200, seed=2)
    for row, verdict in zip(q, arm.check(q)):
        poses = dict(zip(arm.link_names, arm.link_poses(row)))
        pairs = [(a, b) for a in shapes for b in shapes if a < b and not {(a, b), (b, a)} & near]
        hit = any(noli.overlap(shapes[a].at(poses[a]), shapes[b].at(poses[b])) for a, b in pairs)
        assert hit == verdict


def test_mimic_joints_follow(arm: noli.Robot) -> None:
    q = states(arm, 20, seed=3)
    whole = np.hstack([q, np.zeros((20, 1))])
    assert np.array_equal(arm.link_poses(whole), arm.link_poses(q))
    with pytest.raises(ValueError, match=r"q: expected shape \(n, 3\)"):
        arm.check(np.zeros((5, 2)))
    with pytest.raises(ValueError, match=r"q\[1\]"):
        arm.check([[0, 0, 0], [0, np.nan, 0]])


def test_edges_are_proven(arm: noli.Robot) -> None:
    sphere = noli.Model(noli.Convex.sphere(0.05))
    guarded = arm.with_body("sphere", sphere, noli.Pose([1.5, 0, 0.6]))
    a, b = np.array([0.5, 0.0, 0.0]), np.array([2.0, 0.0, 0.0])
    assert not guarded.check(a) and not guarded.check(b)
    contact = guarded.check_edge(a, b)
    assert contact.kind == "at" and contact.parts is not None and "sphere" in contact.parts
    assert not guarded.check(a + (b - a) * contact.safe_until * 0.999)
    assert contact.touching_by is not None and guarded.check(a + (b - a) * (contact.touching_by + 1e-4))
    assert guarded.check_path([a, b, a]).safe_until <= contact.safe_until / 2 + 1e-9
    assert guarded.check_edges([a, a], [b, a + 0.01]).tolist() == [True, False]
    assert arm.check_edge(a, a + 0.05).kind == "free"


def test_robots_survive_pickle(arm: noli.Robot) -> None:
    cell = arm.with_body("wall", noli.Model(noli.Mesh.cuboid([0.1, 4, 4])), noli.Pose([1, 0, 0]))
    cell = cell.with_carried("hand", "tool", noli.Model(noli.Convex.sphere(0.1)), noli.Pose([0, 0, 0.5]))
    cell = cell.disable_pair("base", "hand").with_margin("base", "lower", 0.05).with_padding("tool", 0.01)
    q = states(arm, 300, seed=4)
    other = pickle.loads(pickle.dumps(cell))
    assert (other.check(q) == cell.check(q)).all() and (cell.check(q) != arm.check(q)).any()
    assert any(reason == "disabled by the user" for *_, reason in other.disabled_pairs())
    with pytest.raises(ValueError, match="there is no `tail`"):
        arm.with_padding("tail", 0.1)


def test_pairs_and_inverse_kinematics() -> None:
    puma = noli.Robot.puma560()
    q = np.array([0.3, -0.5, 0.8, 0.1, 0.6, -0.2])
    target = puma.link_poses(q)[-1]
    found = puma.ik(target)
    assert found.shape[1] == 6 and np.abs(found - q).max(axis=1).min() < 1e-9
    for solution in found:
        assert np.allclose(puma.link_poses(solution)[-1], target, atol=1e-9)
    with pytest.raises(ValueError):
        puma.ik(noli.Pose([100, 0, 0]))
    assert not puma.check(puma.neutral)
    always = {(a, b) for a, b, word, _ in puma.pairs(samples=200, cells=5000, every=True) if word == "always"}
    assert {("link2", "link4"), ("link4", "link6")} <= always
    found = puma.pairs(samples=200, cells=300)
    assert {word for *_, word, _ in found} <= {"never", "always", "can", "undecided"}
    witness = [(a, b, q) for a, b, word, q in found if word == "can"]
    for a, b, q in witness:
        assert sorted([a, b]) in [sorted(pair) for pair in puma.colliding_pairs(q)]


def test_texts_with_meshes_from_memory(arm_urdf: pathlib.Path, arm: noli.Robot) -> None:
    same = noli.Robot.from_urdf_text(arm_urdf.read_text(), load_mesh=lambda name: noli.Mesh.cuboid([0.1, 0.1, 0.6]))
    q = states(arm, 200, seed=5)
    assert (same.check(q) == arm.check(q)).all()


STILL = """<robot name="a"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"""


def test_a_robot_that_cannot_move_has_nothing_to_check() -> None:
    sphere = noli.Model(noli.Convex.sphere(0.5))
    robot = noli.Robot.from_urdf_text(STILL).with_body("sphere", sphere, noli.Pose([0.9, 0, 0]))
    assert robot.dof == 0 and robot.link_poses(np.zeros((2, 0))).shape == (2, 1, 4, 4)
    for ask in (robot.check, robot.clearance, robot.check_path, robot.colliding_pairs):
        with pytest.raises(ValueError, match="no pair is checked"):
            ask(np.zeros((2, 0)))
    with pytest.raises(ValueError, match="no pair is checked"):
        robot.check_edges(np.zeros((2, 0)), np.zeros((2, 0)))


def test_edges_stop_at_a_collision_and_agree_with_the_first_contact(arm: noli.Robot) -> None:
    start, end = states(arm, 60, seed=5), states(arm, 60, seed=6)
    hits = arm.check_edges(start, end)
    assert 0 < hits.sum() < 60
    assert hits.tolist() == [arm.check_edge(a, b).kind != "free" for a, b in zip(start, end)]
    assert arm.check_edges(start, end, threads=2).tolist() == hits.tolist()


def test_single_states_are_answered_by_a_kept_checker(arm: noli.Robot) -> None:
    q = states(arm, 6000, seed=7)
    assert [arm.check(row) for row in q] == arm.check(q).tolist()


def test_links_without_collision_geometry_collide_on_request() -> None:
    joint = '<joint name="j" type="continuous"><parent link="root"/><child link="a"/></joint><link name="root"/></robot>'
    text = STILL.replace("collision>", "visual>").replace("</robot>", joint)
    sphere = noli.Model(noli.Convex.sphere(1.0))
    with pytest.raises(ValueError, match="no pair is checked"):
        noli.Robot.from_urdf_text(text).with_body("b", sphere).check(np.zeros(1))
    seen = noli.Robot.from_urdf_text(text, visual=True).with_body("b", sphere)
    assert seen.check(np.zeros(1)) is True and pickle.loads(pickle.dumps(seen)).check(np.zeros(1)) is True


def test_panics_are_ordinary_exceptions() -> None:
    assert issubclass(noli.InternalError, RuntimeError)


RAIL = """<robot name="rail">
<link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="slider"><collision><geometry><box size="1.2 0.1 0.1"/></geometry></collision></link>
<joint name="p" type="prismatic"><parent link="base"/><child link="slider"/><origin xyz="0 0 3"/><axis xyz="0 0 1"/><limit lower="-1e16" upper="1e16" effort="1" velocity="1"/></joint>
</robot>"""


def test_claims_about_pairs_name_what_they_assume() -> None:
    rail = noli.Robot.from_urdf_text(RAIL)
    ((_, _, word, witness),) = rail.pairs(every=True)
    assert word == "can" and witness is not None and witness[0] < -2.8
    assert [pair[2] for pair in rail.pairs(every=True, assume={"p": (-1, 1)})] == ["never within p in [-1, 1]"]
    with pytest.raises(ValueError, match="no joint `q` moves by itself"):
        rail.pairs(assume={"q": (0, 1)})
