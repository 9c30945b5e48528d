"""Point clouds: arrays in, files, and the answers of all points one by one."""

import pickle

import numpy
import pytest

import noli
import noli.checker


def scattered(count, seed=39):
    return numpy.random.default_rng(seed).uniform(-1, 1, (count, 3))


def test_answers_are_those_of_all_points():
    points = scattered(60)
    cloud = noli.Model(noli.PointCloud(points, radius=0.05))
    ring = noli.Model(noli.Mesh.torus(0.5, 0.15).solid())
    spheres = [noli.Model(noli.Convex.hull([point]).rounded(0.05)) for point in points]
    generator = numpy.random.default_rng(3)
    hits = 0
    for _ in range(40):
        pose = noli.Pose(generator.uniform(-1.5, 1.5, 3))
        expected = [number for number, sphere in enumerate(spheres) if noli.overlap(sphere, ring, pose)]
        assert noli.overlap(cloud, ring, pose) == bool(expected)
        found = noli.points_within(cloud.at(noli.Pose()), ring.at(pose))
        assert found.tolist() == expected
        hits += bool(expected)
    assert 5 < hits < 40


def test_points_that_are_not_finite_are_dropped_and_counted():
    points = numpy.array([[0, 0, 0], [numpy.nan, 0, 0], [0, numpy.inf, 0]])
    cloud = noli.PointCloud(points, radius=0.1)
    assert (len(cloud), cloud.dropped) == (1, 2)
    with pytest.raises(ValueError):
        noli.PointCloud(points, radius=0.1, strict=True)
    with pytest.raises(ValueError):
        noli.PointCloud([[0, 0, 0]], radius=-1)
    with pytest.raises(ValueError):
        noli.PointCloud([[0, 0]], radius=1)


def test_files_and_pickles_hold_the_same_points(tmp_path):
    cloud = noli.PointCloud(scattered(100), radius=0.1)
    for name in ["a.pcd", "a.ply", "a.xyz", "a.npy"]:
        cloud.write(tmp_path / name)
        assert numpy.array_equal(noli.PointCloud.read(tmp_path / name, radius=0.1).points, cloud.points)
    assert numpy.array_equal(numpy.load(tmp_path / "a.npy"), cloud.points)
    numpy.save(tmp_path / "b.npy", cloud.points.astype("float32"))
    assert len(noli.PointCloud.read(tmp_path / "b.npy", radius=0.1)) == 100
    again = pickle.loads(pickle.dumps(cloud))
    assert numpy.array_equal(again.points, cloud.points) and again.radius == cloud.radius


def test_every_point_may_have_a_radius_of_its_own(tmp_path):
    points, radii = scattered(60), 0.05 * numpy.random.default_rng(5).integers(0, 4, 60)
    cloud = noli.PointCloud(points, radius=radii)
    assert numpy.array_equal(cloud.radii, radii) and cloud.radius == radii.max()
    ring = noli.Model(noli.Mesh.torus(0.5, 0.15).solid())
    spheres = [noli.Model(noli.Convex.hull([point]).rounded(own)) for point, own in zip(points, radii)]
    generator = numpy.random.default_rng(6)
    for _ in range(20):
        pose = noli.Pose(generator.uniform(-1.5, 1.5, 3))
        expected = [number for number, sphere in enumerate(spheres) if noli.overlap(sphere, ring, pose)]
        assert noli.overlap(noli.Model(cloud), ring, pose) == bool(expected)
        found = noli.points_within(noli.Model(cloud).at(noli.Pose()), ring.at(pose))
        assert found.tolist() == expected
    again = pickle.loads(pickle.dumps(cloud))
    assert numpy.array_equal(again.radii, radii)
    points[7] = numpy.nan
    assert numpy.array_equal(noli.PointCloud(points, radius=radii).radii, numpy.delete(radii, 7))
    for wrong in [radii[:5], radii.reshape(2, 30), -radii]:
        with pytest.raises(ValueError):
            noli.PointCloud(points, radius=wrong)
    text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
    (tmp_path / "a.ply").write_text(text + "property float radius\nend_header\n0 0 0 0.25\n1 0 0 0.5\n")
    assert noli.PointCloud.read(tmp_path / "a.ply").radii.tolist() == [0.25, 0.5]
    assert noli.PointCloud.read(tmp_path / "a.ply", radius=0.125).radii.tolist() == [0.125, 0.125]
    numpy.save(tmp_path / "a.npy", numpy.array([[0, 0, 0, 0.25], [1, 0, 0, 0.5]]))
    assert noli.PointCloud.read(tmp_path / "a.npy").radii.tolist() == [0.25, 0.5]
    (tmp_path / "a.csv").write_text("x,y,z,intensity,radius\n0,0,0,7,0.25\n1,0,0,9,0.5\n")
    assert noli.PointCloud.read(tmp_path / "a.csv").radii.tolist() == [0.25, 0.5]
    (tmp_path / "b.ply").write_text(text + "end_header\n0 0 0\n1 0 0\n")
    with pytest.raises(ValueError):
        noli.PointCloud.read(tmp_path / "b.ply")


def test_thinned_clouds_cover_all_points():
    cloud = noli.PointCloud(scattered(3000), radius=0.01)
    thin = cloud.thinned(0.2)
    distances = numpy.linalg.norm(cloud.points[:, None] - thin.points[None], axis=2).min(axis=1)
    assert len(thin) < len(cloud) and distances.max() <= 0.2 and thin.radius >= 0.21


def test_frames_of_a_sensor_are_answered_as_by_new_robots():
    robot = noli.Robot.puma560()
    checker = noli.checker.Checker(robot)
    generator = numpy.random.default_rng(39)
    low, high = robot.limits.T
    q = generator.uniform(low, high, (40, 6))
    hits = 0
    for count in [0, 1, 50, 400, 0, 90]:
        points = 0.8 * scattered(count, seed=count)
        cloud = checker.set_cloud("camera", points, radius=0.03, pose=noli.Pose([0.1, 0, 0.2]))
        assert len(cloud) == count
        found = checker.in_collision(q)
        fresh = robot.with_body("camera", noli.Model(cloud), noli.Pose([0.1, 0, 0.2]))
        assert numpy.array_equal(found, fresh.check(q))
        hits += int(found.sum())
    assert hits > 20
    assert checker.object_names == ["camera"]
    with pytest.raises(ValueError):
        robot.with_replaced("camera", noli.Model(cloud))
    with pytest.raises(ValueError):
        robot.with_replaced("link3", noli.Model(cloud))
    checker.remove_object("camera")
    assert checker.object_names == []
