import pathlib

import noli
import noli.bridges
import numpy as np
import pytest

pytestmark = pytest.mark.further


def states(count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-3, 3, size=(count, 3))


@pytest.fixture(scope="module")
def plain_urdf(arm_urdf: pathlib.Path) -> pathlib.Path:
    """The arm with its finger fixed: yourdfpy writes no mimic joints, and Pinocchio moves them independently."""
    text = arm_urdf.read_text()
    start, end = text.index("<mimic"), text.index("</joint></robot>")
    path = arm_urdf.with_name("plain.urdf")
    path.write_text((text[:start] + text[end:]).replace('name="grip" type="prismatic"', 'name="grip" type="fixed"'))
    return path


def test_yourdfpy(plain_urdf: pathlib.Path) -> None:
    yourdfpy = pytest.importorskip("yourdfpy")
    urdf = yourdfpy.URDF.load(str(plain_urdf), build_scene_graph=False, load_meshes=False)
    robot = noli.bridges.from_yourdfpy(urdf)
    q = states(300)
    assert (robot.check(q) == noli.Robot.from_urdf(plain_urdf).check(q)).all()


def test_manifold3d() -> None:
    manifold3d = pytest.importorskip("manifold3d")
    cube = manifold3d.Manifold.cube([1.0, 1.0, 1.0], True)
    model = noli.Model(noli.Mesh.from_trimesh(cube, solid=True))
    assert model.shape.is_closed and abs(model.shape.volume - 1) < 1e-6
    assert noli.relation(model, model, noli.Pose([1, 0, 0])) == "touching"


def test_pinocchio(plain_urdf: pathlib.Path) -> None:
    pinocchio = pytest.importorskip("pinocchio")
    if not hasattr(pinocchio, "buildModelFromUrdf"):
        pytest.skip("this pinocchio is not the robotics library")
    path = plain_urdf
    model = pinocchio.buildModelFromUrdf(str(path))
    geometry = pinocchio.buildGeomFromUrdf(model, str(path), pinocchio.GeometryType.COLLISION, package_dirs=str(path.parent))
    robot = noli.Robot.from_urdf(path)
    names = [thing.name.rsplit("_", 1)[0] for thing in geometry.geometryObjects]
    disabled = {frozenset(pair[:2]) for pair in robot.disabled_pairs()}
    for a in range(len(names)):
        for b in range(a):
            if frozenset((names[a], names[b])) not in disabled:
                geometry.addCollisionPair(pinocchio.CollisionPair(a, b))
    checker = noli.bridges.from_pinocchio(model, geometry)
    q = states(200, seed=2)
    assert (checker.check(q) == robot.check(q)).all()
    assert checker.check(q[0]) == robot.check(q[0])
