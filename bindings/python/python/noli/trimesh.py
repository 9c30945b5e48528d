"""`CollisionManager`, a drop-in for `trimesh.collision.CollisionManager`; and meshes to and from trimesh.

Methods, arguments and results are those of trimesh 5.2, with four differences. A closed mesh is the solid that it
bounds, convex or not, so one body inside another collides. Touching always collides. Verdicts are exact. Pairs can be
ignored (`set_pair_ignored`).

>>> import noli, noli.trimesh
>>> manager = noli.trimesh.CollisionManager()
>>> manager.add_object("box", noli.Mesh.cuboid([1, 1, 1]))
>>> manager.in_collision_single(noli.Mesh.cuboid([0.1, 0.1, 0.1]))  # inside
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _noli
from ._noli import Convex, Mesh, Model, Placed, Pose

__all__ = ["CollisionManager", "ContactData", "DistanceData", "from_trimesh", "scene_to_collision", "to_trimesh"]

EXTERNAL = "__external"


def from_trimesh(mesh: Any, *, solid: bool | None = None) -> Mesh:
    """Converts a trimesh mesh, or any object with `vertices` and `faces`."""
    return Mesh.from_trimesh(mesh, solid=solid)


def to_trimesh(mesh: Mesh) -> Any:
    """Converts to a `trimesh.Trimesh` with the same vertices and triangles in the same order."""
    import trimesh

    return trimesh.Trimesh(mesh.vertices, mesh.faces.astype(np.int64), process=False)


class ContactData:
    """One contact of two objects."""

    def __init__(
        self, names: tuple[str, str], faces: tuple[int, int], point: Any, normal: Any, depth: float
    ) -> None:
        self.names = set(names)
        self._inds = dict(zip(names, faces))
        self._point, self._normal, self._depth = point, normal, depth

    @property
    def normal(self) -> NDArray[np.float64]:
        """Unit vector from the first object to the second."""
        return self._normal  # type: ignore[no-any-return]

    @property
    def point(self) -> NDArray[np.float64]:
        """A point that both objects share."""
        return self._point  # type: ignore[no-any-return]

    @property
    def depth(self) -> float:
        """Penetration depth of the objects, or of their convex hulls, along the normal."""
        return self._depth

    def index(self, name: str) -> int:
        """Returns the face in contact of this object; -1 if one lies inside the other and no faces intersect."""
        return self._inds[name]


class DistanceData:
    """The nearest points of two objects."""

    def __init__(
        self, names: tuple[str, str], faces: tuple[int, int], points: tuple[Any, Any], distance: float
    ) -> None:
        self.names = set(names)
        self._inds, self._points, self._distance = dict(zip(names, faces)), dict(zip(names, points)), distance

    @property
    def distance(self) -> float:
        """Distance of the objects; negative if they overlap."""
        return self._distance

    def index(self, name: str) -> int:
        """Returns the nearest face of this object; -1 if they overlap."""
        return self._inds[name]

    def point(self, name: str) -> NDArray[np.float64]:
        """Returns the nearest point of this object."""
        return self._points[name]  # type: ignore[no-any-return]


class _Object:
    """A mesh at a pose, with data that is computed on first use."""

    def __init__(self, mesh: Any, transform: ArrayLike | None) -> None:
        self.mesh = Mesh.from_trimesh(mesh)
        self.model = Model(self.mesh)
        self._hull: Model | None = None
        self._faces_of_vertex: dict[int, int] | None = None
        self.move(transform)

    def move(self, transform: ArrayLike | None) -> None:
        matrix = np.eye(4) if transform is None else np.asarray(transform, dtype=np.float64)
        if matrix.shape != (4, 4):
            raise ValueError("transform must be (4,4)!")
        self.pose = Pose.from_matrix(matrix)
        self.placed: Placed = self.model.at(self.pose)
        self._box: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    @property
    def box(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bounding box in the world: its lowest and highest vertex, computed on first use."""
        if self._box is None:
            low, high = self.model.bounds
            vertices = np.array(np.meshgrid(*zip(low, high))).reshape(3, -1).T
            placed = self.pose.apply(vertices)
            # A share of the largest term of the sums: rounding moves a vertex by a few units of its last place.
            slack = 1e-12 * (np.abs(vertices).max() + np.abs(self.pose.translation).max())
            self._box = placed.min(axis=0) - slack, placed.max(axis=0) + slack
        return self._box

    @property
    def hull(self) -> Placed:
        """Convex hull; the object itself if it is convex."""
        if self._hull is None:
            self._hull = Model(Convex.hull(self.mesh.vertices))
        return self._hull.at(self.pose)

    def face(self, feature: Any) -> int:
        """Returns a face at a vertex, edge or face."""
        if feature is None:
            return -1
        word, numbers = feature
        if word == "face":
            return int(numbers[0])
        found = np.isin(self.mesh.faces, numbers).sum(axis=1)
        return int(np.argmax(found))


def _depth(a: _Object, b: _Object) -> Any:
    """Computes the contact of the convex hulls; its depth is that of the objects if these are convex."""
    return _noli.contact(a.hull, b.hull)


def _contacts(names: tuple[str, str], a: _Object, b: _Object) -> Iterator[ContactData]:
    deepest = _depth(a, b)
    if deepest is None:
        # Rounding may separate the hulls of flat meshes that touch.
        normal, depth, point = np.array([0.0, 0.0, 1.0]), 0.0, a.pose.translation
    else:
        normal, depth, point = deepest.normal, deepest.depth.at_most, deepest.on_a
    found = _noli.intersections(a.placed, b.placed)
    if len(found) == 0:
        yield ContactData(names, (-1, -1), point, normal, depth)
    for (face_a, face_b), middle in zip(found.faces, found.segments.mean(axis=1)):
        yield ContactData(names, (int(face_a), int(face_b)), middle, normal, depth)


def _distance(names: tuple[str, str], a: _Object, b: _Object, below: float) -> DistanceData | None:
    """Computes the distance; `None` if it is not less than `below`."""
    found = _noli.clearance(a.placed, b.placed, max_distance=max(below, 0.0))
    if found.at_most > 0:
        if found.on_a is None or found.on_b is None or found.at_most >= below:
            return None
        faces = (a.face(found.feature_a), b.face(found.feature_b))
        return DistanceData(names, faces, (found.on_a, found.on_b), found.at_most)
    deepest = _depth(a, b)
    if deepest is None:
        return DistanceData(names, (-1, -1), (a.pose.translation, b.pose.translation), 0.0)
    return DistanceData(names, (-1, -1), (deepest.on_a, deepest.on_b), -deepest.depth.at_most)


def _with_requested(result: Any, *parts: tuple[bool, Any]) -> Any:
    requested = [part for wanted, part in parts if wanted]
    return (result, *requested) if requested else result


class CollisionManager:
    """Collision queries on named objects; see the module."""

    def __init__(self) -> None:
        self._objs: dict[str, _Object] = {}
        self._ignored: set[frozenset[str]] = set()
        self._boxes: tuple[list[str], NDArray[np.float64], NDArray[np.float64]] | None = None

    def add_object(self, name: str, mesh: Any, transform: ArrayLike | None = None) -> None:
        """Adds an object; one of the same name is replaced."""
        self._objs[name] = _Object(mesh, transform)
        self._boxes = None

    def remove_object(self, name: str) -> None:
        """Removes an object."""
        del self._objs[self._known(name)]
        self._boxes = None

    def set_transform(self, name: str, transform: ArrayLike) -> None:
        """Sets the pose of an object."""
        self._objs[self._known(name)].move(transform)
        self._boxes = None

    def set_pair_ignored(self, a: str, b: str, ignored: bool = True) -> None:
        """Ignores collisions of two objects: contacts by design."""
        pair = frozenset((a, b))
        self._ignored.add(pair) if ignored else self._ignored.discard(pair)

    @property
    def ignored_pairs(self) -> set[tuple[str, ...]]:
        """The ignored pairs, each in alphabetical order."""
        return {tuple(sorted(pair)) for pair in self._ignored}

    def clear_ignored_pairs(self) -> None:
        """Removes all ignored pairs."""
        self._ignored.clear()

    def _known(self, name: str) -> str:
        if name not in self._objs:
            raise ValueError(f"{name} not in collision manager!")
        return name

    def _is_checked(self, a: str, b: str) -> bool:
        return not self._ignored or frozenset((a, b)) not in self._ignored

    def _few(self) -> bool:
        """Returns `True` if testing boxes takes longer than testing all pairs."""
        return len(self._objs) <= 8

    def _all_boxes(self) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
        if self._boxes is None:
            names = list(self._objs)
            boxes = np.array([self._objs[name].box for name in names]).reshape(-1, 2, 3)
            self._boxes = names, boxes[:, 0], boxes[:, 1]
        return self._boxes

    def _near(self, other: _Object) -> Iterator[str]:
        if self._few():
            return iter(list(self._objs))
        names, low, high = self._all_boxes()
        other_low, other_high = other.box
        near = (low <= other_high).all(axis=1) & (other_low <= high).all(axis=1)
        return (names[k] for k in np.flatnonzero(near))

    def _pairs_inside(self) -> Iterator[tuple[str, str]]:
        if self._few():
            yield from combinations(list(self._objs), 2)
            return
        names, low, high = self._all_boxes()
        for k, name in enumerate(names):
            near = (low[k + 1 :] <= high[k]).all(axis=1) & (low[k] <= high[k + 1 :]).all(axis=1)
            for other in np.flatnonzero(near):
                yield name, names[k + 1 + other]

    def _collisions(
        self, pairs: Iterable[tuple[tuple[str, str], _Object, _Object]], names: bool, data: bool
    ) -> tuple[bool, list[tuple[str, str]], list[ContactData]]:
        hits: list[tuple[str, str]] = []
        contacts: list[ContactData] = []
        for pair, a, b in pairs:
            if not _noli.overlap(a.placed, b.placed):
                continue
            hits.append(pair)
            if data:
                contacts.extend(_contacts(pair, a, b))
            if not (names or data):
                break
        return bool(hits), hits, contacts

    def in_collision_single(
        self,
        mesh: Any,
        transform: ArrayLike | None = None,
        return_names: bool = False,
        return_data: bool = False,
    ) -> Any:
        """Tests an object for collision with those of the manager; also returns their names and the contacts."""
        other = _Object(mesh, transform)
        pairs = (((name, EXTERNAL), self._objs[name], other) for name in self._near(other))
        result, hits, contacts = self._collisions(pairs, return_names, return_data)
        return _with_requested(result, (return_names, {name for name, _ in hits}), (return_data, contacts))

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Tests all pairs of the manager for collision; also returns their names, sorted, and the contacts."""
        pairs = (
            ((a, b), self._objs[a], self._objs[b]) for a, b in self._pairs_inside() if self._is_checked(a, b)
        )
        result, hits, contacts = self._collisions(pairs, return_names, return_data)
        return _with_requested(result, (return_names, {tuple(sorted(pair)) for pair in hits}), (return_data, contacts))

    def in_collision_other(
        self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Tests for collision with the objects of another manager; names of this manager come first."""
        pairs = (
            ((a, b), self._objs[a], other)
            for b, other in other_manager._objs.items()
            for a in self._near(other)
            if self._is_checked(a, b)
        )
        result, hits, contacts = self._collisions(pairs, return_names, return_data)
        return _with_requested(result, (return_names, set(hits)), (return_data, contacts))

    def _nearest(
        self, pairs: Iterable[tuple[tuple[str, str], _Object, _Object]]
    ) -> tuple[float, tuple[str, str] | None, DistanceData | None]:
        def box_distance(item: tuple[tuple[str, str], _Object, _Object]) -> float:
            _, a, b = item
            (low, high), (other_low, other_high) = a.box, b.box
            return float(np.linalg.norm(np.maximum(0, np.maximum(low - other_high, other_low - high))))

        best: DistanceData | None = None
        names: tuple[str, str] | None = None
        distance = float("inf")
        for pair, a, b in sorted(pairs, key=box_distance):
            if box_distance((pair, a, b)) > max(distance, 0.0):
                break
            found = _distance(pair, a, b, distance)
            if found is not None and found.distance < distance:
                best, names, distance = found, pair, found.distance
        return distance, names, best

    def min_distance_single(
        self,
        mesh: Any,
        transform: ArrayLike | None = None,
        return_name: bool = False,
        return_data: bool = False,
    ) -> Any:
        """Computes the distance of an object from the nearest of the manager; negative if they overlap."""
        other = _Object(mesh, transform)
        pairs = (((name, EXTERNAL), own, other) for name, own in self._objs.items())
        distance, names, data = self._nearest(pairs)
        return _with_requested(distance, (return_name, names and names[0]), (return_data, data))

    def min_distance_internal(
        self, name: str | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Computes the smallest distance of two objects of the manager, or of one by name from the others."""
        order = list(self._objs)
        chosen = [
            (a, b)
            for k, a in enumerate(order)
            for b in order[k + 1 :]
            if self._is_checked(a, b) and (name is None or name in (a, b))
        ]
        distance, names, data = self._nearest(((a, b), self._objs[a], self._objs[b]) for a, b in chosen)
        return _with_requested(
            distance, (return_names, None if names is None else tuple(sorted(names))), (return_data, data)
        )

    def min_distance_other(
        self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Computes the smallest distance of objects of both managers; the name of this manager comes first."""
        pairs = (
            ((a, b), own, other)
            for a, own in self._objs.items()
            for b, other in other_manager._objs.items()
            if self._is_checked(a, b)
        )
        distance, names, data = self._nearest(pairs)
        return _with_requested(distance, (return_names, names), (return_data, data))


def scene_to_collision(scene: Any) -> tuple[CollisionManager, dict[str, None]]:
    """Creates a manager with all geometry of a `trimesh.Scene`, by the names of its nodes."""
    manager, objects = CollisionManager(), {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        manager.add_object(node, scene.geometry[geometry], transform)
        objects[node] = None
    return manager, objects
