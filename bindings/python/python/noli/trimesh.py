"""`CollisionManager`, a drop-in for `trimesh.collision.CollisionManager`; and meshes to and from trimesh.

The methods, their arguments and what they return are those of trimesh 5.2. What differs: a closed mesh is taken as
the solid that it bounds, convex or not, so that one body inside another collides; touching always collides; verdicts
are exact; and pairs can be ignored (`set_pair_ignored`).

>>> import noli, noli.trimesh
>>> manager = noli.trimesh.CollisionManager()
>>> manager.add_object("box", noli.Mesh.cuboid([1, 1, 1]))
>>> manager.in_collision_single(noli.Mesh.cuboid([0.1, 0.1, 0.1]))  # inside
True
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Iterable, Iterator, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _noli
from ._noli import Convex, Mesh, Model, Placed, Pose

__all__ = ["CollisionManager", "ContactData", "DistanceData", "from_trimesh", "scene_to_collision", "to_trimesh"]

EXTERNAL = "__external"


def from_trimesh(mesh: Any, *, solid: bool = False) -> Mesh:
    """A mesh of trimesh, or anything with `vertices` and `faces`."""
    return Mesh.of(mesh, solid=solid)


def to_trimesh(mesh: Mesh) -> Any:
    """A `trimesh.Trimesh` with the same vertices and triangles in the same order."""
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
        """A point that both share."""
        return self._point  # type: ignore[no-any-return]

    @property
    def depth(self) -> float:
        """How far the objects, or their convex hulls, must be moved along the normal to come apart."""
        return self._depth

    def index(self, name: str) -> int:
        """The face in contact of the object of this name; -1 where one lies inside the other and no faces meet."""
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
        """How far apart they are; below 0 where they overlap."""
        return self._distance

    def index(self, name: str) -> int:
        """The nearest face of the object of this name; -1 where they overlap."""
        return self._inds[name]

    def point(self, name: str) -> NDArray[np.float64]:
        """The nearest point of the object of this name."""
        return self._points[name]  # type: ignore[no-any-return]


class _Object:
    """A mesh at a place, with what is needed of it when first asked for."""

    def __init__(self, mesh: Any, transform: Optional[ArrayLike]) -> None:
        own = Mesh.of(mesh)
        self.mesh = own.solid() if own.is_closed and own.volume > 0 else own
        self.model = Model(self.mesh)
        # Keeps meshes alive by which others with the same geometry are known.
        self._hull: Optional[Model] = None
        self._faces_of_vertex: Optional[dict[int, int]] = None
        self.move(transform)

    def move(self, transform: Optional[ArrayLike]) -> None:
        matrix = np.eye(4) if transform is None else np.asarray(transform, dtype=np.float64)
        if matrix.shape != (4, 4):
            raise ValueError("transform must be (4,4)!")
        self.pose = Pose.from_matrix(matrix)
        self.placed: Placed = self.model.at(self.pose)
        self._box: Optional[tuple[NDArray[np.float64], NDArray[np.float64]]] = None

    @property
    def box(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The lowest and the highest corner of a box around it, in the world; found when first asked for."""
        if self._box is None:
            low, high = self.model.bounds
            corners = np.array(np.meshgrid(*zip(low, high))).reshape(3, -1).T
            placed = self.pose.apply(corners)
            # A share of the largest coordinate: rounding moves a corner by a few units of its last place.
            slack = 1e-12 * np.abs(placed).max()
            self._box = placed.min(axis=0) - slack, placed.max(axis=0) + slack
        return self._box

    @property
    def hull(self) -> Placed:
        """The convex hull; the object itself where that is convex."""
        if self._hull is None:
            self._hull = Model(Convex.hull(self.mesh.vertices))
        return self._hull.at(self.pose)

    def face(self, feature: Any) -> int:
        """A face at a vertex, edge or face."""
        if feature is None:
            return -1
        word, numbers = feature
        if word == "face":
            return int(numbers[0])
        found = np.isin(self.mesh.faces, numbers).sum(axis=1)
        return int(np.argmax(found))


def _depth(a: _Object, b: _Object) -> Any:
    """The contact of the convex hulls, whose depth is that of the objects where these are convex."""
    return _noli.contact(a.hull, b.hull)


def _contacts(names: tuple[str, str], a: _Object, b: _Object) -> Iterator[ContactData]:
    deepest = _depth(a, b)
    if deepest is None:
        # Hulls of flat meshes may be found apart by rounding where the meshes touch.
        normal, depth, point = np.array([0.0, 0.0, 1.0]), 0.0, a.pose.translation
    else:
        normal, depth, point = deepest.normal, deepest.depth.at_most, deepest.on_a
    met = _noli.crossings(a.placed, b.placed)
    if len(met) == 0:
        yield ContactData(names, (-1, -1), point, normal, depth)
    for (face_a, face_b), middle in zip(met.faces, met.segments.mean(axis=1)):
        yield ContactData(names, (int(face_a), int(face_b)), middle, normal, depth)


def _distance(names: tuple[str, str], a: _Object, b: _Object, below: float) -> Optional[DistanceData]:
    """How far apart; `None` where that is not less than `below`."""
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


def _told(result: Any, *parts: tuple[bool, Any]) -> Any:
    wanted = [part for asked, part in parts if asked]
    return (result, *wanted) if wanted else result


class CollisionManager:
    """Objects by name, and which of them collide; see the module."""

    def __init__(self) -> None:
        self._objs: dict[str, _Object] = {}
        self._ignored: set[frozenset[str]] = set()
        self._boxes: Optional[tuple[list[str], NDArray[np.float64], NDArray[np.float64]]] = None

    def add_object(self, name: str, mesh: Any, transform: Optional[ArrayLike] = None) -> None:
        """Adds an object; one of the same name is replaced."""
        self._objs[name] = _Object(mesh, transform)
        self._boxes = None

    def remove_object(self, name: str) -> None:
        """Takes an object out."""
        del self._objs[self._known(name)]
        self._boxes = None

    def set_transform(self, name: str, transform: ArrayLike) -> None:
        """Puts an object somewhere."""
        self._objs[self._known(name)].move(transform)
        self._boxes = None

    def set_pair_ignored(self, a: str, b: str, ignored: bool = True) -> None:
        """Lets two objects collide without being told of it: contacts by design."""
        pair = frozenset((a, b))
        self._ignored.add(pair) if ignored else self._ignored.discard(pair)

    @property
    def ignored_pairs(self) -> set[tuple[str, ...]]:
        """The pairs that are ignored, each in alphabetical order."""
        return {tuple(sorted(pair)) for pair in self._ignored}

    def clear_ignored_pairs(self) -> None:
        """Ignores no pair any more."""
        self._ignored.clear()

    def _known(self, name: str) -> str:
        if name not in self._objs:
            raise ValueError(f"{name} not in collision manager!")
        return name

    def _is_asked(self, a: str, b: str) -> bool:
        return not self._ignored or frozenset((a, b)) not in self._ignored

    def _few(self) -> bool:
        """Whether looking at boxes takes longer than asking about all pairs."""
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
        transform: Optional[ArrayLike] = None,
        return_names: bool = False,
        return_data: bool = False,
    ) -> Any:
        """Whether an object collides with any of the manager's; with which, and where."""
        other = _Object(mesh, transform)
        pairs = (((name, EXTERNAL), self._objs[name], other) for name in self._near(other))
        result, hits, contacts = self._collisions(pairs, return_names, return_data)
        return _told(result, (return_names, {name for name, _ in hits}), (return_data, contacts))

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether any two of the manager's objects collide; which, in alphabetical order, and where."""
        pairs = (
            ((a, b), self._objs[a], self._objs[b]) for a, b in self._pairs_inside() if self._is_asked(a, b)
        )
        result, hits, contacts = self._collisions(pairs, return_names, return_data)
        return _told(result, (return_names, {tuple(sorted(pair)) for pair in hits}), (return_data, contacts))

    def in_collision_other(
        self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether any object collides with any of another manager's; which, this manager's first, and where."""
        pairs = (
            ((a, b), self._objs[a], other)
            for b, other in other_manager._objs.items()
            for a in self._near(other)
            if self._is_asked(a, b)
        )
        result, hits, contacts = self._collisions(pairs, return_names, return_data)
        return _told(result, (return_names, set(hits)), (return_data, contacts))

    def _nearest(
        self, pairs: Iterable[tuple[tuple[str, str], _Object, _Object]]
    ) -> tuple[float, Optional[tuple[str, str]], Optional[DistanceData]]:
        def gap(item: tuple[tuple[str, str], _Object, _Object]) -> float:
            _, a, b = item
            (low, high), (other_low, other_high) = a.box, b.box
            return float(np.linalg.norm(np.maximum(0, np.maximum(low - other_high, other_low - high))))

        best: Optional[DistanceData] = None
        names: Optional[tuple[str, str]] = None
        distance = float("inf")
        for pair, a, b in sorted(pairs, key=gap):
            if gap((pair, a, b)) > max(distance, 0.0):
                break
            found = _distance(pair, a, b, distance)
            if found is not None and found.distance < distance:
                best, names, distance = found, pair, found.distance
        return distance, names, best

    def min_distance_single(
        self,
        mesh: Any,
        transform: Optional[ArrayLike] = None,
        return_name: bool = False,
        return_data: bool = False,
    ) -> Any:
        """How far an object is from the nearest of the manager's; below 0 where they overlap."""
        other = _Object(mesh, transform)
        pairs = (((name, EXTERNAL), own, other) for name, own in self._objs.items())
        distance, names, data = self._nearest(pairs)
        return _told(distance, (return_name, names and names[0]), (return_data, data))

    def min_distance_internal(
        self, name: Optional[str] = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """How far the nearest two of the manager's objects are apart, or the nearest to the one of this name."""
        order = list(self._objs)
        chosen = [
            (a, b)
            for k, a in enumerate(order)
            for b in order[k + 1 :]
            if self._is_asked(a, b) and (name is None or name in (a, b))
        ]
        distance, names, data = self._nearest(((a, b), self._objs[a], self._objs[b]) for a, b in chosen)
        return _told(
            distance, (return_names, None if names is None else tuple(sorted(names))), (return_data, data)
        )

    def min_distance_other(
        self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False
    ) -> Any:
        """How far the nearest two objects of both managers are apart, this manager's name first."""
        pairs = (
            ((a, b), own, other)
            for a, own in self._objs.items()
            for b, other in other_manager._objs.items()
            if self._is_asked(a, b)
        )
        distance, names, data = self._nearest(pairs)
        return _told(distance, (return_names, names), (return_data, data))


def scene_to_collision(scene: Any) -> tuple[CollisionManager, dict[str, None]]:
    """A manager with all geometry of a `trimesh.Scene`, by the names of its nodes."""
    manager, objects = CollisionManager(), {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        manager.add_object(node, scene.geometry[geometry], transform)
        objects[node] = None
    return manager, objects
