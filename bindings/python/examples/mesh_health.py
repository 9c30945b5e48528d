"""Faults of a mesh: an open cube as it comes from an export, and the same mesh repaired."""

import noli
import numpy as np

cube = noli.Mesh.cuboid([1, 1, 1])
faces = np.asarray(cube.faces)


def report(name: str, mesh: noli.Mesh) -> None:
    crossing = len(noli.self_intersections(noli.Model(mesh)))
    counts = f"{len(mesh.faces)} triangles, {len(mesh.vertices)} vertices"
    print(f"{name}: {counts}, closed: {mesh.is_closed}, self-intersections: {crossing}")


broken = noli.Mesh(cube.vertices, faces[2:])
report("as exported, two triangles missing", broken)
# Every triangle has vertices of its own, as in STL: welding joins them.
soup = cube.vertices[faces].reshape(-1, 3)
loose = np.arange(len(soup)).reshape(-1, 3)
report("unwelded", noli.Mesh(soup, loose))
repaired = noli.Mesh(soup, loose, weld=True)
report("welded", repaired)
assert repaired.is_closed and not broken.is_closed
assert len(repaired.vertices) == len(cube.vertices)

inside = noli.Model(noli.Mesh.sphere(0.2).solid())
for kind, mesh in [("surface", repaired), ("solid", repaired.solid())]:
    print(f"a sphere inside the {kind}: {noli.relation(noli.Model(mesh), inside)}")
