"""Contacts, penetration depths and overlap volumes of cubes with known results."""

import noli
import numpy as np
import pytest


def at(x: float, y: float = 0.0, z: float = 0.0) -> noli.Pose:
    return noli.Pose([x, y, z])


def test_contacts_are_the_near_vertices_and_edges(cube: noli.Model) -> None:
    found = noli.contacts(cube, cube, 0.02, at(0.3, 0.4, 1.01))
    assert found.on_a.shape == found.on_b.shape == found.normal.shape == (len(found.clearance), 3)
    # A vertex of each over a face of the other, and two pairs of crossing edges.
    assert len(found.clearance) == 4 and np.allclose(found.clearance, 0.01) and np.allclose(found.normal, [0, 0, 1])
    assert np.allclose(found.on_b - found.on_a, 0.01 * found.normal)
    assert len(noli.contacts(cube, cube, 0.005, at(0.3, 0.4, 1.01)).clearance) == 0
    assert len(noli.contacts(cube, cube, 0.02, at(0.3, 0.4, 1.0)).clearance) == 4


def test_depths_and_directions(cube: noli.Model) -> None:
    depth, direction = noli.penetration(cube, cube, at(0.75, 0.1, 0.2))
    assert 0.25 in depth and depth.at_most < 0.2501 and direction is not None
    assert np.allclose(direction, [1, 0, 0])
    moved = noli.Pose(np.array([0.75, 0.1, 0.2]) + direction * depth.at_most * (1 + 1e-12))
    assert noli.relation(cube, cube, moved) in ("touching", "separated")
    assert noli.penetration(cube, cube, at(3))[0] == noli.Bracket(0, 0)
    assert 0.9 in noli.penetration_along(cube, cube, [0, 2, 0], at(0.75, 0.1, 0.2))
    assert 0.25 in noli.depth(cube, cube, at(0.75, 0.1, 0.2))
    with pytest.raises(ValueError, match=r"direction: expected shape \(3,\), got \(2,\)"):
        noli.penetration_along(cube, cube, [1, 0])


def test_volumes(cube: noli.Model) -> None:
    for x, y, z in [(0.75, 0.5, 0.25), (0.5, 0.0, 0.0), (2.0, 0.0, 0.0)]:
        shared = max(0.0, 1 - x) * max(0.0, 1 - y) * max(0.0, 1 - z)
        found = noli.overlap_volume(cube, cube, at(x, y, z))
        assert found.at_least - 1e-12 <= shared <= found.at_most + 1e-12


def test_more_work_narrows() -> None:
    ring = noli.Model(noli.Mesh.torus(1.0, 0.4, 24, 12).solid())
    pose = noli.Pose([1.4, 0.2, 0], [0.7, 0, 0, 0.7], quat="xyzw")
    plain, exact = (noli.penetration(ring, ring, pose, exact=exact)[0] for exact in (False, True))
    assert plain.at_least <= exact.at_least <= exact.at_most <= plain.at_most
    volume = noli.overlap_volume(ring, ring, pose, exact=True)
    assert 0 < volume.at_least <= volume.at_most < ring.shape.volume


def test_convex_parts_contain_every_vertex() -> None:
    ring = noli.Mesh.torus(1.0, 0.3, 24, 12)
    parts, error = ring.convex_decomposition(error=0.1)
    assert 1 < len(parts) < 100 and error.at_most <= 0.1
    contained = np.zeros(len(ring.vertices), bool)
    for part in parts:
        assert part.is_solid and part.is_closed
        contained |= noli.locate_point(noli.Model(part), ring.vertices) != noli.Location.OUTSIDE
    assert contained.all()
    assert len(ring.convex_decomposition(pieces=3)[0]) <= 3
    with pytest.raises(ValueError, match="bounds no solid"):
        noli.Mesh(ring.vertices, ring.faces[1:]).convex_decomposition()
    with pytest.raises(ValueError, match="length above 0"):
        ring.convex_decomposition(error=0)


def test_one_pose_only(cube: noli.Model) -> None:
    with pytest.raises(ValueError, match="takes one pose, not a batch"):
        noli.contact(cube, cube, np.tile(np.eye(4), (2, 1, 1)))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="b has a pose already: give a noli.Model where a pose is given"):
        noli.contact(cube, cube.at(at(1)), at(1))
    with pytest.raises(TypeError, match="where poses are given"):
        noli.overlap(cube, cube.at(at(1)), at(1))
    with pytest.raises(TypeError, match="out: only batches"):
        noli.overlap(cube, cube, at(1), out=np.zeros(1, bool))  # type: ignore[call-overload]
