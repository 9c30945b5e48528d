import copy
import pathlib
import pickle
import threading

import noli
import numpy as np
import pytest

from conftest import matrices, random_poses


def again(thing):  # type: ignore[no-untyped-def]
    return pickle.loads(pickle.dumps(thing))


def test_shapes_survive_pickle() -> None:
    mesh = noli.Mesh.torus(2, 0.5).solid()
    assert again(mesh) == mesh and again(mesh).is_solid
    shapes = [
        noli.Convex.sphere(0.5),
        noli.Convex.cuboid([1, 2, 3]).rounded(0.1),
        noli.Convex.capsule(1, 0.2),
        noli.Convex.cylinder(1, 0.2),
        noli.Convex.cone(1, 0.2),
        noli.Convex.ellipsoid([1, 2, 3]),
        noli.Convex.hull(np.random.default_rng(1).normal(size=(20, 3))),
    ]
    for shape in shapes:
        # Points of a hull that are no vertices are dropped the first time.
        assert again(again(shape)) == again(shape), shape
        assert np.array_equal(again(noli.Model(shape)).bounds, noli.Model(shape).bounds)
    field = noli.Field("x^2 + y^2 <= 1", bounds=[[-2, -2, -1], [2, 2, 1]])
    assert again(field).formula == field.formula
    assert noli.overlap(again(noli.Model(field)), noli.Model(shapes[0]))
    pose = noli.Pose([1, 2, 3], [1, 2, 3, 4], quat="wxyz")
    assert again(pose) == pose and copy.deepcopy(pose) == pose
    assert again(noli.Bracket(1, 2)) == noli.Bracket(1, 2)


def test_models_survive_pickle_and_answer_the_same(bumpy: noli.Model, cube: noli.Model) -> None:
    poses = matrices(random_poses(300, 1.8, seed=5))
    compound = noli.Model([(noli.Pose([0, 0, 1]), cube.shape), (np.eye(4), noli.Convex.sphere(0.5))])
    for model in (bumpy, compound, noli.Model("half-space")):
        found = noli.clearance(again(model), cube, poses)
        assert np.array_equal(found.at_most, noli.clearance(model, cube, poses).at_most)
    placed = again(bumpy.at(noli.Pose([3, 0, 0])))
    assert placed.pose == noli.Pose([3, 0, 0])
    for motion in (
        noli.Motion.still(noli.Pose([1, 0, 0])),
        noli.Motion.between(noli.Pose(), noli.Pose([1, 0, 0]), pivot=[0, 1, 0]),
        noli.Motion.screw(noli.Pose(), [0, 0, 0], [0, 0, 1], 1.0, 0.5),
        noli.Motion.velocities(noli.Pose(), [1, 0, 0], [0, 1, 0]),
        noli.Motion.keyframes([0, 0.5, 1], [noli.Pose(), noli.Pose([1, 0, 0]), noli.Pose([1, 1, 0])]),
    ):
        assert again(motion).pose(0.3) == motion.pose(0.3)
        assert again(cube.moving(motion)).at(0.7).pose == motion.pose(0.7)


def test_user_numbers_survive(tmp_path: pathlib.Path) -> None:
    (tmp_path / "quads.obj").write_text(
        "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 2 3 4 5\nf 2 4 5\n"
    )
    model = noli.Model(noli.Mesh.read(tmp_path / "quads.obj"))
    sphere = noli.Model(noli.Convex.sphere(0.1))
    feature = lambda m: noli.clearance(m, sphere, noli.Pose([0.2, 0.1, 1])).feature_a  # noqa: E731
    assert feature(model) is not None and feature(again(model)) == feature(model)


def test_meshes_of_other_libraries(tmp_path: pathlib.Path) -> None:
    class Theirs:
        vertices = noli.Mesh.cuboid([1, 1, 1]).vertices
        faces = noli.Mesh.cuboid([1, 1, 1]).faces.astype(np.int64)

    class Manifold:
        vert_properties = np.hstack([Theirs.vertices, np.ones((8, 2))]).astype(np.float32)
        tri_verts = noli.Mesh.cuboid([1, 1, 1]).faces

    assert noli.Mesh.from_trimesh(Theirs()) == noli.Mesh.cuboid([1, 1, 1])
    assert noli.Mesh.from_trimesh(Manifold(), solid=True).is_solid
    assert noli.overlap(noli.Model(Theirs()), noli.Model(Manifold()))
    with pytest.raises(TypeError, match="`vertices` and `faces`"):
        noli.Model(3)
    for end in ("stl", "obj", "ply", "off"):
        noli.Mesh.cuboid([1, 1, 1]).write(tmp_path / f"cube.{end}")
        assert noli.Mesh.read(tmp_path / f"cube.{end}").is_closed
    assert noli.Model(noli.Mesh.cuboid([1, 1, 1])).refit(2 * Theirs.vertices).bounds.tolist() == [[-1] * 3, [1] * 3]


def test_concurrent_queries(bumpy: noli.Model, cube: noli.Model) -> None:
    poses = matrices(random_poses(2000, 1.8, seed=6))
    expected = noli.overlap(bumpy, cube, poses)
    wrong = []

    def work(number: int) -> None:
        for turn in range(4):
            if number % 2:
                found = noli.overlap(bumpy, cube, poses, threads=1 + turn % 2)
                wrong.extend(np.flatnonzero(found != expected))
            else:
                for row in range(number, 2000, 97):
                    if noli.overlap(bumpy, cube, noli.Pose.from_matrix(poses[row])) != expected[row]:
                        wrong.append(row)
            pickle.loads(pickle.dumps(cube))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_worlds(cube: noli.Model) -> None:
    world = noli.World(margin=0.1)
    for name, x in [("a", 0.0), ("b", 0.5), ("c", 1.55), ("d", 9.0)]:
        world.add(name, cube, noli.Pose([x, 0, 0]))
    assert world.touching() == [("a", "b"), ("b", "c")]
    found = {(pair["a"], pair["b"]): pair["relation"] for pair in world.check(all=True)}
    assert found[("a", "b")] == "intersecting" and found[("b", "c")] == "closer" and found[("a", "d")] == "separated"
    world.exclude("a", "b")
    assert again(world).touching() == world.touching() == [("b", "c")]
    world.set_margin("b", "c", 0.0)
    assert world.touching() == []
    with pytest.raises(ValueError, match="already"):
        world.add("a", cube)
    with pytest.raises(ValueError, match="no body `x`"):
        world.remove("x")
    fly = noli.Motion.between(world.pose("d"), noli.Pose([-9, 0, 0]))
    [(name, free_until, contact)] = world.step({"d": fly}, dry=True)
    assert name == "d" and contact is not None and contact.parts is not None
    assert set(contact.parts) == {"c", "d"}
    assert abs(free_until - (9 - 2.65) / 18) < 1e-6 and world.pose("d") == noli.Pose([9, 0, 0])
    world.step({"d": fly})
    assert abs(world.pose("d").translation[0] - 2.65) < 1e-4
    world.remove("a")
    assert world.names == ["b", "c", "d"] and len(world) == 3


def test_a_closed_mesh_is_a_solid_unless_it_is_declared_a_surface(tmp_path: pathlib.Path) -> None:
    big, small = noli.Mesh.cuboid([10, 10, 10]), noli.Mesh.cuboid([1, 1, 1])

    class Theirs:
        vertices, faces = big.vertices, big.faces

    big.write(tmp_path / "big.stl")
    small.write(tmp_path / "small.stl")
    part = noli.Model(small)
    read = noli.Mesh.read(tmp_path / "big.stl")
    for shape in (big, noli.Mesh(big.vertices, big.faces), Theirs(), noli.Mesh.from_trimesh(Theirs()), read):
        assert noli.relation(noli.Model(shape), part) == "inside"
        assert noli.overlap(noli.Model(shape), part)
    report = noli.check(tmp_path / "big.stl", tmp_path / "small.stl")
    assert [pair["relation"] for pair in report.hits] == ["inside"]
    surfaces = (
        big.surface(),
        noli.Mesh(big.vertices, big.faces, solid=False),
        noli.Mesh.read(tmp_path / "big.stl", solid=False),
        noli.Mesh(big.vertices, big.faces[:-1]),
    )
    for surface in surfaces:
        assert not surface.is_solid
        assert noli.relation(noli.Model(surface), part) == "separated"
    turned = [face[::-1] if k < 2 else face for k, face in enumerate(big.faces)]
    assert not noli.Mesh(big.vertices, turned).is_solid, "its faces disagree about which side is out"
    assert noli.Mesh(big.vertices, big.faces[:-1], solid=True).is_solid
