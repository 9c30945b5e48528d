"""Point clouds: arrays in, files, and the answers of all points one by one."""

import pickle

import numpy
import pytest

import noli


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


def test_thinned_clouds_cover_all_points():
    cloud = noli.PointCloud(scattered(3000), radius=0.01)
    thin = cloud.thinned(0.2)
    distances = numpy.linalg.norm(cloud.points[:, None] - thin.points[None], axis=2).min(axis=1)
    assert len(thin) < len(cloud) and distances.max() <= 0.2 and thin.radius >= 0.21
