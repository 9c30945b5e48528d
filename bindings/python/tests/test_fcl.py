"""`noli.fcl`: closed forms, naive loops, python-fcl itself where it is installed, and its own tests where they are."""

import doctest
import importlib.util
import os
import sys
import unittest
from pathlib import Path

import numpy as np
import pytest

import noli
import noli.fcl as fcl


def mesh(source: noli.Mesh, solid: bool = False) -> fcl.BVHModel:
    model = fcl.BVHModel(solid=solid)
    model.beginModel(len(source.vertices), len(source.faces))
    model.addSubModel(source.vertices, source.faces)
    model.endModel()
    return model


def at(*translation: float) -> fcl.Transform:
    return fcl.Transform(np.array(translation, dtype=float))


def test_the_docstring_runs() -> None:
    assert doctest.testmod(fcl).failed == 0


def test_spheres_have_the_distance_of_their_centres() -> None:
    random = np.random.default_rng(1)
    for _ in range(500):
        radii, place = random.uniform(0.1, 1, 2), random.uniform(-2, 2, 3)
        a, b = (fcl.CollisionObject(fcl.Sphere(radius)) for radius in radii)
        b.setTranslation(place)
        wanted = np.linalg.norm(place) - radii.sum()
        assert (fcl.collide(a, b) > 0) == (wanted <= 0)
        request, result = fcl.DistanceRequest(True, True), fcl.DistanceResult()
        assert fcl.distance(a, b, request, result) == pytest.approx(wanted, abs=1e-9)
        if wanted > 0:
            p, q = result.nearest_points
            assert p is not None and q is not None
            assert np.linalg.norm(q - p) == pytest.approx(wanted, abs=1e-9)


def test_half_spaces_and_planes() -> None:
    normal = np.array([0.0, 0.6, 0.8])
    half, plane = fcl.CollisionObject(fcl.Halfspace(normal, 0.5)), fcl.CollisionObject(fcl.Plane(normal, 0.5))
    sphere = fcl.CollisionObject(fcl.Sphere(0.25))
    random = np.random.default_rng(2)
    for place in random.uniform(-2, 2, (200, 3)):
        sphere.setTranslation(place)
        height = float(normal @ place) - 0.5
        assert (fcl.collide(half, sphere) > 0) == (height <= 0.25)
        assert (fcl.collide(sphere, plane) > 0) == (abs(height) <= 0.25)
        if abs(height) > 0.25:
            assert fcl.distance(plane, sphere) == pytest.approx(abs(height) - 0.25, abs=1e-9)
    # Two triangles on either side do not meet the plane between them.
    model = fcl.BVHModel()
    model.beginModel()
    model.addTriangle([0, 0, 1], [1, 0, 1], [0, 1, 1])
    model.addTriangle([0, 0, -1], [1, 0, -1], [0, 1, -1])
    model.endModel()
    flat = fcl.CollisionObject(fcl.Plane(np.array([0.0, 0.0, 2.0]), 0.0))
    assert fcl.collide(flat, fcl.CollisionObject(model)) == 0
    assert fcl.collide(flat, fcl.CollisionObject(model, at(0, 0, 1))) > 0
    with pytest.raises(ValueError, match="direction"):
        fcl.Halfspace(np.zeros(3), 1)


def test_a_mesh_is_its_surface_unless_solid() -> None:
    inner = fcl.CollisionObject(fcl.Sphere(0.1))
    cube = noli.Mesh.cuboid([1, 1, 1])
    assert fcl.collide(fcl.CollisionObject(mesh(cube)), inner) == 0
    assert fcl.collide(fcl.CollisionObject(mesh(cube, solid=True)), inner) == 1


def test_contacts_of_meshes_are_pairs_of_triangles() -> None:
    cube = mesh(noli.Mesh.cuboid([1, 1, 1]))
    a, b = fcl.CollisionObject(cube), fcl.CollisionObject(cube, at(0.75, 0.125, 0.25))
    result = fcl.CollisionResult()
    count = fcl.collide(a, b, fcl.CollisionRequest(100, True), result)
    assert count == len(result.contacts) > 4
    for contact in result.contacts:
        assert contact.o1 is cube and 0 <= contact.b1 < 12 and 0 <= contact.b2 < 12
        assert np.abs(contact.pos).max() <= 0.5 + 1e-12
        assert np.linalg.norm(contact.normal) == pytest.approx(1)


def test_continuous_collision_is_never_late() -> None:
    a, b = fcl.CollisionObject(fcl.Box(1, 1, 1)), fcl.CollisionObject(fcl.Box(1, 1, 1), at(3, 0, 0))
    result = fcl.ContinuousCollisionResult()
    found = fcl.continuousCollide(a, fcl.Transform(), b, at(-1, 0, 0), None, result)
    assert result.is_collide and found <= 0.5 == pytest.approx(found, abs=1e-5)
    # A half turn as a screw about the middle between both: they swap places, and collide.
    request = fcl.ContinuousCollisionRequest(ccd_motion_type=fcl.CCDMotionType.CCDM_SCREW)
    bar = fcl.CollisionObject(fcl.Box(2, 0.1, 0.1))
    turned = fcl.Transform(np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3))
    post = fcl.CollisionObject(fcl.Sphere(0.1), at(0, 0.8, 0))
    time = fcl.continuousCollide(bar, turned, post, post.getTransform(), request)
    wanted = 0.5 - np.arcsin(0.15 / 0.8) / np.pi
    assert time <= wanted + 1e-9 and time == pytest.approx(wanted, abs=1e-4)
    with pytest.raises(NotImplementedError):
        request.ccd_motion_type = fcl.CCDMotionType.CCDM_SPLINE
        fcl.continuousCollide(a, fcl.Transform(), b, fcl.Transform(), request)


def test_managers_find_what_all_pairs_find() -> None:
    random = np.random.default_rng(3)
    kinds = [fcl.Box(0.3, 0.5, 0.2), fcl.Sphere(0.2), mesh(noli.Mesh.torus(0.3, 0.1)), fcl.Cone(0.2, 0.5)]
    q = random.normal(size=(60, 4))
    all_objects = [
        fcl.CollisionObject(kinds[k % 4], fcl.Transform(q[k] / np.linalg.norm(q[k]), random.uniform(-1, 1, 3)))
        for k in range(60)
    ]
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(all_objects)
    manager.setup()
    found: set[frozenset[int]] = set()

    def collect(o1: fcl.CollisionObject, o2: fcl.CollisionObject, data: object) -> bool:
        if fcl.collide(o1, o2):
            found.add(frozenset((all_objects.index(o1), all_objects.index(o2))))
        return False

    manager.collide(None, collect)
    naive = {
        frozenset((i, j)) for i in range(60) for j in range(i) if fcl.collide(all_objects[i], all_objects[j])
    }
    assert found == naive and len(naive) > 10
    far = fcl.CollisionObject(fcl.Sphere(0.2), at(3, 3, 3))
    data = fcl.DistanceData()
    manager.distance(far, data, fcl.defaultDistanceCallback)
    assert data.result.min_distance == min(fcl.distance(far, o) for o in all_objects)
    manager.unregisterObject(all_objects[0])
    assert manager.size() == 59 and not manager.empty()


def test_wrong_use_is_an_error() -> None:
    with pytest.raises(ValueError):
        fcl.CollisionObject()
    with pytest.raises(ValueError):
        fcl.Transform(np.zeros(5))
    with pytest.raises(ValueError):
        fcl.BVHModel().endModel()
    with pytest.raises(ValueError):
        fcl.Convex(np.zeros((4, 3)), 1, [3, 0, 1, 9])
    with pytest.raises(ValueError):
        fcl.DynamicAABBTreeCollisionManager().collide(1, 2, 3)


def test_verdicts_are_those_of_python_fcl() -> None:
    theirs = pytest.importorskip("fcl", reason="python-fcl is not installed")
    random = np.random.default_rng(4)
    for kind, size in (("Box", (1, 0.6, 0.4)), ("Cylinder", (0.4, 0.9)), ("Capsule", (0.3, 0.8)), ("Sphere", (0.5,))):
        for q, t in zip(random.normal(size=(100, 4)), random.uniform(-1.2, 1.2, (100, 3))):
            q /= np.linalg.norm(q)
            verdicts = []
            for module in (fcl, theirs):
                a = module.CollisionObject(module.Box(0.7, 0.5, 0.9))
                b = module.CollisionObject(getattr(module, kind)(*size), module.Transform(q, t))
                verdicts.append(module.collide(a, b) > 0)
            assert verdicts[0] == verdicts[1], (kind, q, t)


def test_the_tests_of_python_fcl() -> None:
    folder = os.environ.get("PYTHON_FCL_TESTS")
    if not folder:
        pytest.skip("PYTHON_FCL_TESTS does not name a folder with the tests of python-fcl")
    before = sys.modules.get("fcl")
    sys.modules["fcl"] = fcl
    try:
        result = unittest.TestResult()
        for path in sorted(Path(folder).glob("test_*.py")):
            spec = importlib.util.spec_from_file_location(f"python_fcl_{path.stem}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    finally:
        if before is None:
            del sys.modules["fcl"]
        else:
            sys.modules["fcl"] = before
    assert result.testsRun >= 15 and result.wasSuccessful(), result.errors + result.failures
