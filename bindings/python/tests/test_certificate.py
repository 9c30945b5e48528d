"""Certificates: proven here, accepted by both checkers, refused when they are changed or false."""

import gzip
import pathlib
import sys

import noli
import numpy as np
import pytest

from conftest import random_poses

CHECKER = pathlib.Path(__file__).resolve().parents[3] / "checkers" / "python"


def accepted(certificate: noli.Certificate) -> noli.Verification:
    """The verdict of the compiled checker; the one in Python must agree."""
    sys.path.insert(0, str(CHECKER))
    from noli_checker.check import check_bytes

    found = noli.verify(certificate)
    assert bool(found) == (found.verdict == "valid")
    assert check_bytes(bytes(certificate))["verdict"] == found.verdict, found
    assert bool(noli.verify(bytes(certificate), exact=True, threads=1)) == bool(found)
    return found


def test_pairs_of_meshes_are_proven_as_the_engine_decides(cube: noli.Model) -> None:
    claims = set()
    for row in random_poses(40, 1.6):
        pose = noli.Pose(row[:3], row[3:], quat="xyzw")
        certificate = noli.prove_pair(cube, cube, pose, names=("left", "right"))
        (statement,) = certificate.statements
        hit = bool(noli.overlap(cube, cube, pose))
        assert statement["claim"] == ("colliding" if hit else "separated")
        assert statement["pairs"] == [("left", "right")] and len(certificate) == 1
        found = accepted(certificate)
        assert found
        claims.add(statement["claim"])
        if not hit:
            exact = noli.clearance(cube, cube, pose)
            least = found.statements[0]["clearance_at_least"]
            assert 0 < least <= exact.at_most
            with pytest.raises(ValueError, match="closer than claimed"):
                noli.prove_pair(cube, cube, pose, clearance=2 * exact.at_most)
    assert len(claims) == 2


def test_files_are_written_and_changed_ones_refused(cube: noli.Model, tmp_path: pathlib.Path) -> None:
    certificate = noli.prove_pair(cube, cube, noli.Pose([1.5, 0, 0]), clearance=0.3)
    path = tmp_path / "pair.cert"
    certificate.write(path)
    assert gzip.decompress(path.read_bytes()) == bytes(certificate)
    assert noli.verify(path) and noli.verify(str(path)).error is None
    data = bytearray(bytes(certificate))
    at = data.index(b"clearance") + len(b"clearance")
    assert data[at] == 0xFB
    data[at + 1 : at + 9] = np.array([0.75], ">f8").tobytes()
    refused = noli.verify(bytes(data))
    assert refused.verdict == "invalid" and refused.error is not None and "E-PLANE" in refused.error
    assert not refused and refused.statements == []
    assert noli.verify(b"no certificate").verdict == "unreadable"
    with pytest.raises(noli.FileError):
        noli.verify(tmp_path / "none.cert")


def test_units_are_open_unless_they_are_given(cube: noli.Model) -> None:
    pose = noli.Pose([1.5, 0, 0])
    assert b"eunits\x60" in bytes(noli.prove_pair(cube, cube, pose))
    certificate = noli.prove_pair(cube, cube, pose, units="mm")
    assert b"eunits\x62mm" in bytes(certificate) and accepted(certificate)


def test_touching_bodies_have_no_proof_of_separation(cube: noli.Model) -> None:
    certificate = noli.prove_pair(cube, cube, noli.Pose([1, 0, 0]))
    assert certificate.statements[0]["claim"] == "colliding" and accepted(certificate)


def test_paths_of_a_robot_list_their_disabled_pairs() -> None:
    robot = noli.Robot.puma560()
    rng = np.random.default_rng(3)
    free = blocked = 0
    for _ in range(30):
        q = rng.uniform(-2, 2, size=(1, robot.dof)) + np.cumsum(rng.normal(0, 0.1, size=(3, robot.dof)), axis=0)
        if robot.check_path(q).kind == "free":
            certificate = noli.prove_path(robot, q)
            (statement,) = certificate.statements
            assert statement["complete"] and statement["disabled"]
            assert len(statement["disabled"][0]) == 3
            assert accepted(certificate)
            assert len(noli.prove_path(robot, q, each=True)) == 3
            free += 1
        else:
            with pytest.raises(ValueError):
                noli.prove_path(robot, q)
            blocked += 1
    assert free and blocked
    with pytest.raises(ValueError, match="at least two"):
        noli.prove_path(robot, np.zeros((1, robot.dof)))


def test_reachable_pairs_of_a_robot() -> None:
    robot = noli.Robot.puma560()
    certificate = noli.prove_pairs(robot, cells=20_000)
    assert len(certificate) + len(certificate.unproven) > 5
    assert noli.verify(certificate)
    assert any("never collide" in statement["title"] for statement in certificate.statements)


def test_removals_say_from_when_they_are_free(cube: noli.Model) -> None:
    world = noli.World()
    world.add("table", noli.Model(noli.Mesh.cuboid([6, 6, 1]).solid()), noli.Pose([0, 0, -1]))
    world.add("block", cube)
    plan = world.plan_removal("block")
    assert plan.verdict == "found"
    certificate = noli.prove_removal(world, "block", plan.poses, quat="xyzw")
    assert accepted(certificate)
    assert any("of it on" in statement["title"] for statement in certificate.statements) or certificate.unproven
    poses = np.array([[0, 0, 0, 0, 0, 0, 1], [0, 0, 3, 0, 0, 0, 1]], float)
    certificate = noli.prove_removal(world, "block", poses, quat="xyzw")
    assert "from" in certificate.statements[-1]["title"] and accepted(certificate)
