"""The drop-in manager, by trimesh's own tests of its manager if its source archive is available."""

import pathlib
import subprocess
import sys
import tarfile
import types

import noli
import noli.trimesh
import numpy as np
import pytest

trimesh = pytest.importorskip("trimesh")

# Assertions of trimesh's tests that are not about collisions, with the reason that ours differ.
NOT_OURS = {
    "test_collision": "coincident cubes can be separated along any of six normals: the test requires -x and "
    "one vertex of the cube for the point, the result of python-fcl",
    "test_scene": "needs a model that is absent from the source archive",
}


def cube() -> "trimesh.Trimesh":
    return trimesh.creation.box(extents=[1, 1, 1])


def moved(x: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[0, 3] = x
    return matrix


def test_meshes_round_trip() -> None:
    mesh = noli.trimesh.from_trimesh(cube(), solid=True)
    back = noli.trimesh.to_trimesh(mesh)
    assert np.array_equal(back.vertices, mesh.vertices) and np.array_equal(back.faces, mesh.faces)
    assert noli.overlap(noli.Model(cube()), noli.Model(mesh))


def test_a_manager_as_users_use_it() -> None:
    manager = noli.trimesh.CollisionManager()
    manager.add_object("a", cube())
    manager.add_object("b", cube(), moved(5))
    assert manager.in_collision_internal() is False
    assert manager.in_collision_single(cube(), moved(4.5), return_names=True) == (True, {"b"})
    hit, names, data = manager.in_collision_single(cube(), moved(4.5), return_names=True, return_data=True)
    assert hit and names == {"b"} and data
    for contact in data:
        assert abs(contact.depth - 0.5) < 1e-9 and np.allclose(abs(contact.normal), [1, 0, 0])
        assert 0 <= contact.index("b") < 12 and 0 <= contact.index("__external") < 12
        assert contact.names == {"b", "__external"}
    assert abs(manager.min_distance_internal() - 4) < 1e-12
    assert abs(manager.min_distance_single(cube(), moved(4.75)) + 0.75) < 1e-9
    distance, name, data = manager.min_distance_single(cube(), moved(2), return_name=True, return_data=True)
    assert np.isclose(distance, 1) and name == "a"
    assert np.isclose(np.linalg.norm(data.point("a") - data.point("__external")), 1)
    assert 0 <= data.index("a") < 12
    manager.set_transform("b", moved(1))
    # Equal boxes that share a face touch, whatever their sizes (trimesh issue 1860).
    assert manager.in_collision_internal(return_names=True) == (True, {("a", "b")})
    manager.set_pair_ignored("b", "a")
    assert manager.ignored_pairs == {("a", "b")} and manager.in_collision_internal() is False
    manager.clear_ignored_pairs()
    assert manager.in_collision_internal() is True
    manager.remove_object("b")
    with pytest.raises(ValueError, match="b not in collision manager!"):
        manager.set_transform("b", moved(0))


def test_inside_counts() -> None:
    """A body within a hollow one is free; within a solid one it collides, convex or not."""
    ring = trimesh.creation.torus(major_radius=2, minor_radius=0.8)
    small = trimesh.creation.icosphere(radius=0.2)
    manager = noli.trimesh.CollisionManager()
    manager.add_object("ring", ring)
    assert manager.in_collision_single(small, moved(2)) is True
    assert manager.in_collision_single(small, moved(0)) is False


@pytest.mark.further
def test_equal_answers_with_fcl_where_it_is_right() -> None:
    pytest.importorskip("fcl")
    ours, theirs = noli.trimesh.CollisionManager(), trimesh.collision.CollisionManager()
    rng = np.random.default_rng(1)
    ring = trimesh.creation.torus(major_radius=2, minor_radius=0.5)
    for name, mesh in [("ring", ring), ("box", cube())]:
        ours.add_object(name, mesh)
        theirs.add_object(name, mesh)
    differ = 0
    for _ in range(200):
        matrix = trimesh.transformations.random_rotation_matrix(rng.random(3))
        matrix[:3, 3] = rng.uniform(-3, 3, 3)
        a = ours.in_collision_single(cube(), matrix, return_names=True)
        b = theirs.in_collision_single(cube(), matrix, return_names=True)
        differ += a != b
    assert differ == 0


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("trimesh")
    wanted = f"trimesh=={trimesh.__version__}"
    command = [sys.executable, "-m", "pip", "download", "-q", wanted, "--no-deps", "--no-binary", "trimesh"]
    try:
        done = subprocess.run([*command, "-d", str(folder)], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.skip("the source archive of trimesh cannot be fetched")
    found = list(folder.glob("*.tar.gz"))
    if done.returncode != 0 or not found:
        pytest.skip("the source archive of trimesh cannot be fetched")
    with tarfile.open(found[0]) as file:
        names = [name for name in file.getnames() if name.endswith("tests/test_collision.py")]
        if not names:
            pytest.skip("the source archive of trimesh has no tests of its manager")
        extracted = file.extractfile(names[0])
        assert extracted is not None
        path = folder / "test_collision.py"
        path.write_bytes(extracted.read())
    return path


@pytest.mark.further
def test_tests_of_trimesh(archive: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaces their helper module and its models, which are not in the archive."""
    import logging
    import unittest

    import trimesh.collision

    def get_mesh(name: str) -> "trimesh.Trimesh":
        if name != "unit_cube.STL":
            raise FileNotFoundError(name)
        return cube()

    generic = types.SimpleNamespace(
        unittest=unittest,
        np=np,
        trimesh=trimesh,
        log=logging.getLogger("trimesh"),
        get_mesh=get_mesh,
        random=np.random.default_rng(3).random,
    )
    monkeypatch.setitem(sys.modules, "generic", generic)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "fcl", types.ModuleType("fcl"))
    monkeypatch.setattr(trimesh.collision, "CollisionManager", noli.trimesh.CollisionManager)
    monkeypatch.setattr(trimesh.collision, "scene_to_collision", noli.trimesh.scene_to_collision)
    namespace: dict = {"__name__": "test_collision"}
    exec(compile(archive.read_text(), str(archive), "exec"), namespace)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(namespace["CollisionTest"])
    results, wrong = {}, {}
    for case in suite:
        result = unittest.TestResult()
        case.run(result)
        name = case.id().rsplit(".", 1)[-1]
        results[name] = result.wasSuccessful()
        wrong[name] = [text for _, text in result.failures + result.errors]
    assert results.get("test_distance") and results.get("test_collision_batch"), wrong
    unexpected = {name: wrong[name] for name, passed in results.items() if not passed and name not in NOT_OURS}
    assert not unexpected
