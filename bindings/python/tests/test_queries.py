import numpy as np
import noli
import pytest

from conftest import matrices, random_poses


def at(x: float, y: float = 0.0, z: float = 0.0) -> noli.Pose:
    return noli.Pose([x, y, z])


def test_cuboids_take_full_edge_lengths() -> None:
    mesh = noli.Mesh.cuboid([1, 2, 3])
    assert mesh.bounds.tolist() == [[-0.5, -1, -1.5], [0.5, 1, 1.5]]
    assert mesh.volume == 6


def test_touching_is_exact_to_the_last_bit(cube: noli.Model) -> None:
    assert noli.overlap(cube, cube, at(1.0))
    assert not noli.overlap(cube, cube, at(np.nextafter(1.0, 2.0)))
    assert noli.relation(cube, cube, at(1.0)) == "touching"
    assert noli.relation(cube, cube, at(np.nextafter(1.0, 0.0))) == "intersecting"
    assert noli.relation(cube, cube.at(at(0))) == "inside"


def test_batches_equal_single_answers(bumpy: noli.Model, cube: noli.Model) -> None:
    poses = random_poses(400, 1.7)
    single = [noli.Pose(p[:3], p[3:], quat="xyzw") for p in poses]
    hits = noli.overlap(cube, bumpy, poses, quat="xyzw")
    assert hits.dtype == bool and hits.shape == (400,) and 0 < hits.sum() < 400
    assert hits.tolist() == [noli.overlap(cube, bumpy, pose) for pose in single]
    assert hits.tolist() == noli.overlap(cube, bumpy, single).tolist()
    wxyz = poses[:, [0, 1, 2, 6, 3, 4, 5]]
    assert (noli.overlap(cube, bumpy, wxyz, quat="wxyz") == hits).all()
    clearances = noli.clearance(cube, bumpy, poses, quat="xyzw", witness=True)
    assert ((clearances.at_most == 0) == hits).all() and (clearances.at_least <= clearances.at_most).all()
    for row in range(0, 400, 40):
        one = noli.clearance(cube, bumpy, single[row])
        assert (one.at_least, one.at_most) == (clearances.at_least[row], clearances.at_most[row])
    assert clearances.on_a is not None and clearances.on_b is not None
    separated = ~hits
    between = np.linalg.norm(clearances.on_a - clearances.on_b, axis=1)[separated]
    assert np.allclose(between, clearances.at_most[separated], rtol=1e-12, atol=1e-12)
    relations = noli.relation(cube, bumpy, poses, quat="xyzw")
    assert [noli.RELATIONS[r] for r in relations] == [noli.relation(cube, bumpy, pose) for pose in single]
    assert [noli.Relation(r).word for r in relations] == [noli.RELATIONS[r] for r in relations]
    assert ((relations != noli.Relation.SEPARATED) == hits).all()
    near = noli.within_distance(cube, bumpy, 0.1, poses, quat="xyzw")
    assert (near == (clearances.at_most <= 0.1)).all()
    depth = noli.depth(cube, bumpy, poses, quat="xyzw")
    assert ((depth.at_most > 0) == hits).all()


def test_matrices_equal_quaternions(bumpy: noli.Model, cube: noli.Model) -> None:
    poses = random_poses(300, 1.6, seed=2)
    a = noli.clearance(cube, bumpy, poses, quat="xyzw")
    b = noli.clearance(cube, bumpy, matrices(poses))
    assert np.allclose(a.at_most, b.at_most, atol=1e-12)


def test_threads_and_out_change_nothing(bumpy: noli.Model) -> None:
    poses = matrices(random_poses(5000, 1.9, seed=3))
    first = noli.overlap(bumpy, bumpy, poses, threads=1)
    out = np.empty(5000, dtype=bool)
    again = noli.overlap(bumpy, bumpy, poses, threads=3, out=out)
    assert again is out and (again == first).all()
    two = (np.empty(5000), np.empty(5000))
    clearances = noli.clearance(bumpy, bumpy, poses, out=two)
    assert clearances.at_least is two[0] and clearances.at_most is two[1]
    assert ((clearances.at_most == 0) == first).all()


def test_time_of_impact_misses_nothing(cube: noli.Model) -> None:
    wall = noli.Model(noli.Mesh.cuboid([1e-3, 4, 4]))
    start = np.tile(np.eye(4), (50, 1, 1))
    end = start.copy()
    start[:, 0, 3], end[:, 0, 3] = -1000, 1000
    end[:, 1, 3] = start[:, 1, 3] = np.linspace(0, 5, 50)
    found = noli.time_of_impact(wall, cube, start, end)
    hit = start[:, 1, 3] <= 2.5
    assert [noli.IMPACTS[kind] for kind in found.kind] == ["at" if h else "free" for h in hit]
    assert (found.safe_until[~hit] == 1).all() and np.isinf(found.touching_by[~hit]).all()
    true = (1000 - 0.5005) / 2000
    assert (found.safe_until[hit] <= true).all() and (abs(found.touching_by[hit] - true) < 1e-6).all()
    one = noli.time_of_impact(wall, cube, at(-1000), at(1000))
    assert (one.safe_until, one.touching_by) == (found.safe_until[0], found.touching_by[0])
    assert one.normal is not None and one.normal.tolist() == [-1, 0, 0]
    intervals = noli.contact_intervals(wall, cube.moving(noli.Motion.between(at(-1000), at(1000))), 1e-4)
    assert len(intervals) == 1 and abs(intervals[0][0] - true) < 1e-6


def test_contacts_intersections_and_points(cube: noli.Model) -> None:
    contact = noli.contact(cube, cube, at(0.75, 0.1, 0.2))
    assert contact is not None and 0.25 in contact.depth and np.allclose(contact.normal, [1, 0, 0])
    assert noli.contact(cube, cube, at(3)) is None
    found = noli.intersections(cube, cube, at(0.5, 0.25, 0.125))
    assert found.complete and found.faces.shape == (len(found), 2) and found.segments.shape == (len(found), 2, 3)
    assert found.faces.dtype == np.uint32 and found.through.any()
    # Every segment lies on both surfaces.
    other = cube.at(at(0.5, 0.25, 0.125))
    middles = found.segments.mean(axis=1)
    clear_a = [noli.clearance(cube, noli.Model(noli.Convex.sphere(1e-9)), noli.Pose(m)).at_most for m in middles]
    assert max(clear_a) == 0
    assert set(noli.locate_point(other, middles).tolist()) <= {0, 1, 2}
    points = [[0, 0, 0], [0.5, 0, 0], [2, 0, 0]]
    assert [noli.LOCATIONS[k] for k in noli.locate_point(cube, points)] == ["inside", "on surface", "outside"]
    assert noli.locate_point(cube, [0, 0, 0]) == "inside"
    assert [hit[0] for hit in noli.ray_cast(cube, [-2, 0.2, 0.3], [1, 0, 0])] == [1.5, 2.5]
    assert len(noli.self_intersections(cube)) == 0
    assert len(noli.manifold(cube, cube, at(1 - 1e-3))) >= 1


def test_errors_name_the_argument(cube: noli.Model) -> None:
    with pytest.raises(ValueError, match=r"poses: expected shape \(n, 4, 4\), \(n, 7\).*got \(5, 6\)"):
        noli.overlap(cube, cube, np.zeros((5, 6)))
    with pytest.raises(TypeError, match="poses: expected real numbers, got dtype complex128"):
        noli.overlap(cube, cube, np.zeros((5, 7), complex))
    with pytest.raises(ValueError, match='quat="wxyz"'):
        noli.overlap(cube, cube, np.zeros((5, 7)))
    with pytest.raises(ValueError, match=r"poses\[2\]: invalid pose"):
        poses = random_poses(4, 1)
        poses[2, 3:] = 0
        noli.overlap(cube, cube, poses, quat="xyzw")
    mirrored = np.tile(np.eye(4), (3, 1, 1))
    mirrored[1, 0, 0] = -1
    with pytest.raises(ValueError, match=r"poses\[1\]: the matrix is not a rotation"):
        noli.overlap(cube, cube, mirrored)
    nan = np.tile(np.eye(4), (3, 1, 1))
    nan[2, 0, 0] = np.nan
    with pytest.raises(ValueError, match=r"poses\[2\]"):
        noli.overlap(cube, cube, nan)
    with pytest.raises(TypeError, match="prepare it once with noli.Model"):
        noli.overlap(noli.Mesh.cuboid([1, 1, 1]), cube)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"out: expected a writable C-contiguous array of bool with shape \(3,\)"):
        noli.overlap(cube, cube, np.tile(np.eye(4), (3, 1, 1)), out=np.zeros(3))  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="faces"):
        noli.Mesh([[0, 0, 0]], [[0, 1]])
    with pytest.raises(ValueError, match="vertex"):
        noli.Mesh([[0, 0, 0]], [[0, 0, -1]])
    with pytest.raises(ValueError):
        noli.Mesh([[0, 0, np.nan]], [[0, 0, 0]])
    with pytest.raises(noli.FileError, match="no-such.stl"):
        noli.Mesh.read("no-such.stl")
    with pytest.raises(ValueError, match="threads"):
        noli.overlap(cube, cube, np.tile(np.eye(4), (3, 1, 1)), threads=0)


def test_other_dtypes_and_layouts_are_converted(cube: noli.Model) -> None:
    poses = np.tile(np.eye(4), (6, 1, 1))
    poses[:, 0, 3] = np.linspace(0, 2, 6)
    expected = noli.overlap(cube, cube, poses).tolist()
    for other in (poses.astype(np.float32), np.asfortranarray(poses), poses.tolist(), poses[::1]):
        assert noli.overlap(cube, cube, other).tolist() == expected
    assert noli.overlap(cube, cube, poses[::2]).tolist() == expected[::2]
    ints = np.tile(np.eye(4, dtype=np.int32), (2, 1, 1))
    assert noli.overlap(cube, cube, ints).tolist() == [True, True]
    assert noli.overlap(cube, cube, np.empty((0, 4, 4))).shape == (0,)
    assert not noli.overlap(cube, cube.at(noli.Pose([5, 0, 0]).matrix))


def test_right_angles_are_exact() -> None:
    slab = noli.Model(noli.Mesh.cuboid([3, 1, 1]).solid())
    turn = np.array([[0, -1, 0, 0], [1, 0, 0, 2], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    # Rotated by a right angle, its long side reaches the face of the other, and no further.
    assert noli.relation(slab, slab, noli.Pose.from_matrix(turn)) == "touching"


def test_undecided_verdicts_are_explicit(cube: noli.Model) -> None:
    # Two fields that are closer to touching than their arithmetic resolves.
    sphere = noli.Model(noli.Field("x^2 + y^2 + z^2 <= 1"))
    near = at(np.nextafter(2, 3))
    with pytest.raises(noli.UndecidedError, match="unknown=True"):
        noli.overlap(sphere, sphere, near)
    with pytest.raises(noli.UndecidedError, match=r"poses\[1\]"):
        noli.overlap(sphere, sphere, [at(0), near])
    assert noli.overlap(sphere, sphere, near, unknown=True) is True
    assert noli.overlap(sphere, sphere, [near, at(3)], unknown=True).tolist() == [True, False]
    assert noli.overlap(sphere, cube) is True


def test_poses() -> None:
    pose = noli.Pose([1, 2, 3], [0, 0, 0, 2], quat="xyzw")
    assert pose.apply([1, 1, 1]).tolist() == [2, 3, 4]
    assert pose.matrix[:3, 3].tolist() == [1, 2, 3] and pose.wxyz.tolist() == [2, 0, 0, 0]
    turn = noli.Pose.from_axis_angle([0, 0, 1], np.pi / 2)
    assert np.allclose((pose * turn).apply([1, 0, 0]), [1, 3, 3])
    assert np.allclose((turn * turn.inverse()).matrix, np.eye(4))
    assert noli.Pose([0, 0, 0]) == noli.Pose() and hash(noli.Pose()) == hash(noli.Pose([-0.0, 0, 0]))
    with pytest.raises(ValueError, match="quat"):
        noli.Pose([0, 0, 0], [1, 0, 0, 0])
    with pytest.raises(ValueError):
        noli.Pose([0, 0, np.inf])


def test_profiles_and_approaches(cube: noli.Model) -> None:
    pass_by = cube.moving(noli.Motion.between(at(-5, 2), at(5, 2)))
    profile = noli.clearance_profile(cube, pass_by, 101)
    assert profile.times.shape == (101,) and abs(profile.at_most.min() - 1.0) < 1e-12
    closest, time = noli.closest_approach(cube, pass_by)
    assert closest.at_least <= 1.0 <= closest.at_most * (1 + 1e-9) and 0.3 <= time <= 0.7


def test_a_device_gives_the_same_answers() -> None:
    """A GPU, or the CPU if there is none."""
    cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
    poses = np.tile(np.eye(4), (60, 1, 1))
    poses[:, 0, 3] = np.linspace(0, 2, 60)
    for query in (noli.overlap, lambda *a, **k: noli.within_distance(*a[:2], 0.25, a[2], **k)):
        own = query(cube.at(noli.Pose([0.25, 0, 0])), cube, poses)
        assert (query(cube.at(noli.Pose([0.25, 0, 0])), cube, poses, device="cuda") == own).all()
        assert 0 < own.sum() < 60
    with pytest.raises(ValueError, match="device"):
        noli.overlap(cube, cube, poses, device="abacus")
