"""Robots from other libraries: yourdfpy and Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._noli import Convex, Mesh, Model, Robot, overlap

__all__ = ["PinocchioChecker", "from_pinocchio", "from_yourdfpy", "model_of_coal"]


def from_yourdfpy(urdf: Any, *, srdf: str | None = None, kind: str = "auto") -> Robot:
    """Creates a robot from a `yourdfpy.URDF`, with its mesh resolver; `srdf` is the text of an SRDF file."""
    text = urdf.write_xml_string()
    text = text.decode() if isinstance(text, bytes) else text

    def load(name: str) -> Mesh:
        return Mesh.read(urdf._filename_handler(fname=name))

    return Robot.from_urdf_text(text, srdf=srdf, load_mesh=load, kind=kind)  # type: ignore[arg-type]


def model_of_coal(geometry: Any) -> Model:
    """Creates a model of a Coal (or hpp-fcl) geometry: a mesh, a convex hull or a primitive."""
    kind = type(geometry).__name__
    if kind.startswith("BVHModel"):
        vertices = np.array([geometry.vertex(k) for k in range(geometry.num_vertices)])
        faces = [tuple(geometry.tri_indices(k)[j] for j in range(3)) for k in range(geometry.num_tris)]
        return Model(Mesh(vertices, np.array(faces)))
    if kind.startswith("Convex"):
        return Model(Convex.hull(np.array([geometry.point(k) for k in range(geometry.num_points)])))
    if kind == "Box":
        return Model(Convex.cuboid(2 * np.asarray(geometry.halfSide, dtype=float).ravel()))
    if kind == "Sphere":
        return Model(Convex.sphere(geometry.radius))
    if kind == "Capsule":
        return Model(Convex.capsule(2 * geometry.halfLength, geometry.radius))
    if kind == "Cylinder":
        return Model(Convex.cylinder(2 * geometry.halfLength, geometry.radius))
    if kind == "Cone":
        return Model(Convex.cone(2 * geometry.halfLength, geometry.radius))
    if kind == "Ellipsoid":
        return Model(Convex.ellipsoid(np.asarray(geometry.radii, dtype=float).ravel()))
    raise TypeError(f"unsupported Coal geometry: {kind}")


class PinocchioChecker:
    """Collision checker of a Pinocchio model: poses by Pinocchio, verdicts by noli, for all active pairs.

    A pair is tested with the pose of its second geometry in the frame of the first, computed in floating point.
    """

    def __init__(self, model: Any, geometry: Any) -> None:
        import pinocchio

        self._pinocchio, self._model, self._geometry = pinocchio, model, geometry
        self._data, self._geometry_data = model.createData(), geometry.createData()
        self._models = [model_of_coal(thing.geometry) for thing in geometry.geometryObjects]
        self.pairs = [(pair.first, pair.second) for pair in geometry.collisionPairs]

    def check(self, q: ArrayLike) -> bool | NDArray[np.bool_]:
        """Tests configurations `(nq,)` or `(n, nq)` for collision; `True` if in collision."""
        states = np.asarray(q, dtype=float)
        many = np.atleast_2d(states)
        places = np.empty((len(many), len(self._models), 4, 4))
        for row, state in enumerate(many):
            self._pinocchio.updateGeometryPlacements(
                self._model, self._data, self._geometry, self._geometry_data, state
            )
            for k, place in enumerate(self._geometry_data.oMg):
                places[row, k] = place.homogeneous
        hits = np.zeros(len(many), dtype=bool)
        for a, b in self.pairs:
            left = np.flatnonzero(~hits)
            if len(left) == 0:
                break
            turn = places[left, a, :3, :3].transpose(0, 2, 1)
            seen = np.tile(np.eye(4), (len(left), 1, 1))
            seen[:, :3, :3] = turn @ places[left, b, :3, :3]
            seen[:, :3, 3:] = turn @ (places[left, b, :3, 3:] - places[left, a, :3, 3:])
            hits[left] = overlap(self._models[a], self._models[b], seen)
        return hits if states.ndim == 2 else bool(hits[0])


def from_pinocchio(model: Any, geometry: Any) -> PinocchioChecker:
    """Creates a collision checker for a `pinocchio.Model` and its `GeometryModel` with collision pairs."""
    return PinocchioChecker(model, geometry)
