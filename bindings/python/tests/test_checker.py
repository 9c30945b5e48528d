"""`noli.checker` and `noli.acm`: configurations by name, objects, the allowed collision matrix, and gradients."""

import doctest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import noli
import noli.acm
import noli.checker
from noli.acm import AllowedCollisionMatrix
from noli.checker import Checker, pinocchio_columns

URDF = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.3 0.3 0.2"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.08" length="0.7"/></geometry></collision></link>
<link name="lower"><collision><origin xyz="0 0 0.4"/><geometry><box size="0.1 0.12 0.6"/></geometry></collision></link>
<link name="hand"><collision><origin xyz="0 0 0.1"/><geometry><sphere radius="0.07"/></geometry></collision></link>
<link name="finger"><collision><origin xyz="0.03 0 0.2"/><geometry><box size="0.02 0.04 0.1"/></geometry></collision></link>
<joint name="pan" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.15" rpy="0 0.2 0"/><axis xyz="0 0.6 0.8"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.9"/><axis xyz="0 1 0"/><limit lower="-2.8" upper="2.8" effort="1" velocity="1"/></joint>
<joint name="wrist" type="revolute"><parent link="lower"/><child link="hand"/><origin xyz="0 0 0.75"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="grip" type="prismatic"><parent link="hand"/><child link="finger"/><axis xyz="1 0 0"/><limit lower="0" upper="0.05" effort="1" velocity="1"/><mimic joint="wrist" multiplier="0.01" offset="0.02"/></joint>
</robot>"""

SRDF = """<robot name="arm">
<group name="manipulator"><chain base_link="base" tip_link="lower"/></group>
<group_state name="home" group="manipulator"><joint name="pan" value="0.5"/></group_state>
<disable_collisions link1="base" link2="upper" reason="Adjacent"/>
<disable_collisions link1="upper" link2="lower" reason="Adjacent"/>
<disable_collisions link1="lower" link2="hand" reason="Adjacent"/>
<disable_collisions link1="hand" link2="finger" reason="Adjacent"/>
<disable_collisions link1="lower" link2="finger" reason="Never"/>
</robot>"""


def arm(**options: object) -> Checker:
    return Checker(noli.Robot.from_urdf_text(URDF, srdf=SRDF), **options)  # type: ignore[arg-type]


def cluttered() -> Checker:
    checker = arm()
    random = np.random.default_rng(5)
    for number in range(6):
        shape = noli.Convex.cuboid(random.uniform(0.1, 0.3, 3)) if number % 2 else noli.Convex.sphere(0.12)
        q = random.normal(size=4)
        place = random.uniform([-1.2, -1.2, 0.2], [1.2, 1.2, 1.8])
        place[:2] += np.sign(place[:2]) * 0.4
        pose = noli.Pose(place, q / np.linalg.norm(q), quat="wxyz")
        checker.add_object(f"object{number}", noli.Model(shape), pose)
    return checker


def test_docstrings_run() -> None:
    for module in (noli.acm, noli.checker):
        assert doctest.testmod(module).failed == 0


def test_configurations_are_dicts_or_arrays() -> None:
    checker = arm()
    assert checker.joint_names == ["pan", "elbow", "wrist"]
    q = np.array([0.1, 0.2, 0.3])
    by_name = {"wrist": 0.3, "pan": 0.1, "elbow": 0.2}
    assert np.array_equal(checker.full(by_name), q) and np.array_equal(checker.full(q), q)
    assert checker.as_dict(q) == pytest.approx(by_name)
    batch = checker.full({"pan": [0.0, 0.5, 1.0], "elbow": 0.25})
    assert batch.shape == (3, 3) and (batch[:, 1] == 0.25).all()
    with pytest.raises(ValueError, match="the joints are pan, elbow, wrist"):
        checker.full({"shoulder": 1})
    with pytest.raises(ValueError, match="3 columns"):
        checker.full(np.zeros(7))


def test_a_group_moves_its_joints_alone() -> None:
    checker = arm(group="manipulator", default={"wrist": 0.7})
    assert checker.joint_names == ["pan", "elbow"]
    assert np.array_equal(checker.full([0.1, 0.2]), [0.1, 0.2, 0.7])
    assert checker.limits.shape == (2, 2) and checker.jacobian([0.1, 0.2]).shape == (6, 2)
    with pytest.raises(ValueError, match="manipulator"):
        arm(group="legs")


def test_objects_come_go_and_move() -> None:
    checker = arm()
    cube = noli.Model(noli.Convex.cuboid([0.1, 0.1, 0.1]))
    q = {"pan": 0.3, "elbow": -0.4, "wrist": 0.2}
    tip = checker.robot.link_poses(checker.full(q))[checker.robot.link_names.index("hand")]
    assert not checker.in_collision(q)
    checker.add_object("cup", cube, tip)
    assert checker.in_collision(q)
    found = checker.collisions(q)
    assert ("hand", "cup") in [tuple(pair) for pair in found.pairs] or ("cup", "hand") in found.pairs
    assert np.linalg.norm(found.points[0] - tip[:3, 3]) < 0.3
    # Attached where it is, it moves along, and may touch the hand that holds it.
    checker.attach("hand", "cup", may_touch=["finger", "lower"], at=q)
    assert not checker.in_collision(q)
    other = {"pan": -0.5, "elbow": 0.9, "wrist": -0.3}
    assert not checker.in_collision(other)
    pose = checker.detach("cup", at=other)
    moved = checker.robot.link_poses(checker.full(other))[checker.robot.link_names.index("hand")]
    assert np.allclose(pose.matrix, moved, atol=1e-12)
    assert checker.in_collision(other) and not checker.in_collision(q)
    checker.move_object("cup", tip)
    assert checker.in_collision(q)
    checker.remove_object("cup")
    assert not checker.in_collision(q) and checker.object_names == []
    with pytest.raises(ValueError, match="no object"):
        checker.move_object("cup", tip)


def test_one_configuration_is_answered_as_in_a_batch() -> None:
    whole, group = cluttered(), arm(group="manipulator", default={"wrist": 0.4})
    for name in whole.object_names:
        one = whole._known(name)
        group.add_object(name, one.model, one.pose)
    low, high = whole.limits.T
    states = np.random.default_rng(11).uniform(low, high, (300, 3))
    states[:, 2] = 0.4
    wanted = whole.in_collision(states)
    assert 0 < wanted.sum() < 300
    for q, hit in zip(states, wanted):
        for found in (whole.in_collision(q), whole.in_collision(q.tolist()), whole.robot.check(q), group.in_collision(q)):
            assert found is bool(hit)
        assert group.in_collision(q[:2]) is group.in_collision(q[:2].tolist()) is bool(hit)
    strided = np.repeat(states[0], 2)[::2]
    assert whole.in_collision(strided) is bool(wanted[0])
    for wrong in (states[0][:1], np.full(3, np.nan), [1.0] * 99, ["a"] * 3):
        with pytest.raises((ValueError, TypeError)):
            whole.in_collision(wrong)


def test_single_states_of_threads_are_those_of_a_batch() -> None:
    checker = cluttered()
    checker.add_object("wall", noli.Model(noli.Convex.cuboid([0.2, 3, 3])), noli.Pose([0.6, 0, 1]))
    low, high = checker.limits.T
    # More than the number of queries from which on there are tables.
    q = np.random.default_rng(8).uniform(low, high, size=(5000, len(low)))
    expected = checker.in_collision(q).tolist()
    assert 100 < sum(expected) < 4900
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(checker.in_collision, list(q))) == expected


def test_single_states_follow_a_mimic_joint_among_the_others() -> None:
    law = '<mimic joint="wrist" multiplier="-1.2" offset="0.3"/></joint>'
    elbow = '<limit lower="-2.8" upper="2.8" effort="1" velocity="1"/>'
    text = URDF.replace(elbow + "</joint>", elbow + law)
    robot = noli.Robot.from_urdf_text(text, srdf=SRDF)
    assert robot.joint_names == ["pan", "wrist"] and len(robot.all_joint_names) == 4
    wall = noli.Model(noli.Convex.cuboid([0.2, 3, 3]))
    checker = Checker(robot.with_body("wall", wall, noli.Pose([0.6, 0, 1])))
    low, high = checker.limits.T
    q = np.random.default_rng(4).uniform(low, high, size=(500, 2))
    expected = checker.in_collision(q).tolist()
    assert 50 < sum(expected) < 450
    assert [checker.in_collision(one) for one in q] == expected
    assert [checker.in_collision(one.tolist()) for one in q] == expected
    assert [checker.robot.check(one) for one in q] == expected


def test_the_allowed_collision_matrix_is_loaded_edited_and_saved(tmp_path: Path) -> None:
    (tmp_path / "arm.srdf").write_text(SRDF)
    acm = AllowedCollisionMatrix.load(tmp_path / "arm.srdf")
    assert len(acm) == 5 and acm.reason("lower", "upper") == "Adjacent"
    acm.allow("base", "hand", "User")
    acm.require("lower", "finger")
    acm.save(tmp_path / "edited.srdf")
    again = AllowedCollisionMatrix.load(tmp_path / "edited.srdf")
    assert sorted(again) == sorted(acm) and "group_state" in (tmp_path / "edited.srdf").read_text()
    # The file does what the edited matrix does.
    text = noli.Robot.from_urdf_text(URDF, srdf=again.to_srdf())
    checker = arm()
    checker.acm = acm
    pairs = {frozenset(pair[:2]) for pair in checker.robot.disabled_pairs()}
    assert pairs == {frozenset(pair[:2]) for pair in text.disabled_pairs()}
    post, place = noli.Model(noli.Convex.cuboid([0.2, 0.2, 2])), noli.Pose([0.7, 0, 1])
    checker.add_object("post", post, place)
    text = text.with_body("post", post, place)
    q = np.random.default_rng(6).uniform(checker.limits[:, 0], checker.limits[:, 1], (2000, 3))
    assert np.array_equal(checker.in_collision(q), text.check(q))
    assert checker.in_collision(q).any()
    with pytest.raises(ValueError, match="not XML"):
        AllowedCollisionMatrix.from_text("<robot>")


def test_what_is_held_together_stays_disabled() -> None:
    fixed = URDF.replace('name="wrist" type="revolute"', 'name="wrist" type="fixed"')
    fixed = fixed.replace('<mimic joint="wrist" multiplier="0.01" offset="0.02"/>', "")
    checker = Checker(noli.Robot.from_urdf_text(fixed))
    before = {frozenset(pair[:2]) for pair in checker.robot.disabled_pairs()}
    checker.acm = AllowedCollisionMatrix()
    left = {frozenset(pair[:2]) for pair in checker.robot.disabled_pairs()}
    assert frozenset(("lower", "hand")) in left and left < before


def test_the_jacobian_is_the_derivative_of_poses() -> None:
    checker = arm()
    random = np.random.default_rng(7)
    links = checker.robot.link_names
    for q in random.uniform(checker.limits[:, 0], checker.limits[:, 1], (50, 3)):
        for link in ("upper", "hand", "finger"):
            number = links.index(link)
            place = checker.robot.link_poses(q)[number]
            point = place[:3, 3] + random.uniform(-0.2, 0.2, 3)
            found = checker.jacobian(q, link, point)
            local, step = np.linalg.inv(place) @ [*point, 1], 1e-6
            for j in range(3):
                ends = [checker.robot.link_poses(q + sign * step * np.eye(3)[j])[number] for sign in (1, -1)]
                slope = ((ends[0] - ends[1]) @ local)[:3] / (2 * step)
                assert np.allclose(found[:3, j], slope, atol=1e-8), (link, j)
                spin = (ends[0] - ends[1])[:3, :3] @ place[:3, :3].T / (2 * step)
                assert np.allclose(found[3:, j], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-8)


def gradient_errors(checker: Checker, count: int, seed: int) -> tuple[int, int, float]:
    """Unique gradients, others, and the largest deviation of unique ones from central differences."""
    q = np.random.default_rng(seed).uniform(
        checker.limits[:, 0], checker.limits[:, 1], (count, len(checker.joint_names))
    )
    found = checker.nearest(q, unique=True)
    assert found.unique is not None
    free = found.at_least > 1e-3
    unique, step, worst = found.unique & free, 1e-5, 0.0
    for j in range(q.shape[1]):
        moved = [checker.nearest(q + sign * step * np.eye(q.shape[1])[j]).at_most for sign in (1, -1)]
        slope = (moved[0] - moved[1]) / (2 * step)
        worst = max(worst, float(np.abs(slope - found.gradient[:, j])[unique].max()))
        # One-sided everywhere: the clearance grows no faster than by the gradient of the reported points.
        ahead = (moved[0] - found.at_most) / step
        assert (ahead <= found.gradient[:, j] + 1e-2)[free].all()
    return int(unique.sum()), int((free & ~unique).sum()), worst


def test_gradients_are_those_of_finite_differences() -> None:
    unique, others, worst = gradient_errors(cluttered(), 1000, 8)
    assert unique > 500 and worst < 2e-3, (unique, others, worst)


def test_a_kink_is_not_unique() -> None:
    # Two posts at the same distance on either side: turning either way approaches one of them.
    urdf = """<robot name="bar"><link name="base"/><link name="bar"><collision><origin xyz="0.5 0 0"/><geometry>
    <box size="0.8 0.1 0.1"/></geometry></collision></link><joint name="turn" type="revolute"><parent link="base"/>
    <child link="bar"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>"""
    checker = Checker(noli.Robot.from_urdf_text(urdf))
    for side in (1, -1):
        checker.add_object(f"post{side}", noli.Model(noli.Convex.sphere(0.1)), noli.Pose([0.6, side * 0.4, 0]))
    kink, smooth = checker.nearest([[0.0], [0.1]], unique=True).unique  # type: ignore[misc]
    assert not kink and smooth


def test_motions_are_proven() -> None:
    checker = cluttered()
    random = np.random.default_rng(9)
    ends = random.uniform(checker.limits[:, 0], checker.limits[:, 1], (2, 200, 3))
    for start, end in zip(*ends):
        samples = start + np.linspace(0, 1, 200)[:, None] * (end - start)
        hit = bool(checker.in_collision(samples).any())
        free = checker.check_motion(start, end)
        assert not (free and hit)
        assert (checker.first_contact(start, end).kind == "free") == free


def test_a_pinocchio_model_is_matched_by_name() -> None:
    class Joint:
        def __init__(self, idx_q: int, nq: int = 1) -> None:
            self.idx_q, self.nq = idx_q, nq

    class Model:
        names: tuple[str, ...] = ("universe", "elbow", "wrist", "pan", "grip")
        joints = (Joint(-1, 0), Joint(0), Joint(1), Joint(2), Joint(3))

    columns = pinocchio_columns(arm().robot, Model())
    assert columns.tolist() == [2, 0, 1]
    Model.names = ("universe", "elbow", "wrist")
    with pytest.raises(ValueError, match="no joint `pan`"):
        pinocchio_columns(arm().robot, Model())


def test_a_roboticists_script(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.srdf").write_text(SRDF)
    checker = Checker.from_urdf(tmp_path / "arm.urdf", srdf=tmp_path / "arm.srdf")
    acm = checker.acm
    acm.allow("upper", "hand", "Never")
    checker.acm = acm
    checker.attach("hand", "part", noli.Model(noli.Convex.cuboid([0.05, 0.05, 0.2])), noli.Pose([0, 0, 0.3]), may_touch=["finger"])
    checker.add_object("wall", noli.Model(noli.Convex.cuboid([0.1, 2, 2])), noli.Pose([-0.6, 0, 1]))
    start, goal = {"pan": -1.0, "elbow": 0.6}, {"pan": 1.0, "elbow": 0.8, "wrist": 0.4}
    assert not checker.in_collision(start) and not checker.in_collision(goal)
    path = checker.plan(start, goal)
    assert path is not None and checker.robot.check_path(path).kind == "free"
    assert (checker.nearest(path).at_least > 0).all()
    acm.save(tmp_path / "new.srdf")
    assert AllowedCollisionMatrix.load(tmp_path / "new.srdf").is_allowed("hand", "upper")


def test_a_saved_matrix_of_a_checker_keeps_the_srdf(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "0.srdf").write_text(SRDF)
    before = ElementTree.fromstring(SRDF)
    for round in range(2):
        checker = Checker.from_urdf(tmp_path / "arm.urdf", srdf=tmp_path / f"{round}.srdf")
        acm = checker.acm
        acm.allow("base", "hand", "User")
        checker.acm = acm
        checker.acm.save(tmp_path / f"{round + 1}.srdf")
    after = ElementTree.parse(tmp_path / "2.srdf").getroot()
    others = [element for element in before if element.tag != "disable_collisions"]
    kept = [element for element in after if element.tag != "disable_collisions"]
    assert [element.attrib for element in kept] == [element.attrib for element in others] and others

    def reasons(root: ElementTree.Element) -> dict[frozenset[str], str]:
        pairs = root.iter("disable_collisions")
        return {frozenset((pair.attrib["link1"], pair.attrib["link2"])): pair.get("reason", "") for pair in pairs}

    assert reasons(after) == reasons(before) | {frozenset(("base", "hand")): "User"}
    assert checker.robot.groups == noli.Robot.from_urdf_text(URDF, srdf=(tmp_path / "2.srdf").read_text()).groups


def test_unknown_names_in_a_matrix_are_errors() -> None:
    checker = arm()
    acm = checker.acm
    acm.allow("hnad", "base")
    with pytest.raises(ValueError, match="names `hnad`, which is no link and no object; did you mean `hand`"):
        checker.acm = acm
    with pytest.raises(ValueError, match="hnad"):
        acm.apply(checker.robot)
    # An SRDF may name links of other variants of the robot.
    stale = SRDF.replace("</robot>", '<disable_collisions link1="old" link2="base"/></robot>')
    with pytest.warns(UserWarning, match="`old`"):
        checker.acm = AllowedCollisionMatrix.from_text(stale)
    checker.add_object("cup", noli.Model(noli.Convex.sphere(0.1)))
    acm = checker.acm
    acm.allow("cup", "hand")
    with pytest.warns(UserWarning, match="`old`"):
        checker.acm = acm
    checker.remove_object("cup")
    assert not checker.in_collision(checker.default[: len(checker.joint_names)]) in (None,)
