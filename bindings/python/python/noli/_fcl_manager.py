"""The collision manager of `noli.fcl`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ._fcl_geometry import CollisionObject


class DynamicAABBTreeCollisionManager:
    """Objects that are queried together; callbacks receive the pairs whose boxes overlap, or the nearest first."""

    def __init__(self) -> None:
        self._objects: dict[int, CollisionObject] = {}
        self.max_tree_nonbalanced_level = 10
        self.tree_incremental_balance_pass = 10
        self.tree_topdown_balance_threshold = 2
        self.tree_topdown_level = 0
        self.tree_init_level = 0
        self.octree_as_geometry_collide = True
        self.octree_as_geometry_distance = False

    def registerObjects(self, other_objs: Iterable[CollisionObject]) -> None:
        """Adds objects."""
        for o in other_objs:
            self.registerObject(o)

    def registerObject(self, obj: CollisionObject) -> None:
        """Adds an object."""
        self._objects[id(obj)] = obj

    def unregisterObject(self, obj: CollisionObject) -> None:
        """Removes an object, if it is there."""
        self._objects.pop(id(obj), None)

    def setup(self) -> None:
        """Has no effect: boxes are computed on demand."""

    def update(self, arg: Any = None) -> None:
        """Has no effect: moved objects are recognised."""

    def getObjects(self) -> list[CollisionObject]:
        """Returns the objects, in the order they were added."""
        return list(self._objects.values())

    def clear(self) -> None:
        """Removes all objects."""
        self._objects.clear()

    def empty(self) -> bool:
        """Returns `True` if there is no object."""
        return not self._objects

    def size(self) -> int:
        """Returns the number of objects."""
        return len(self._objects)

    def _pairs(self, args: tuple[Any, ...]) -> tuple[Any, Callable[..., Any], list[Any], list[Any] | None]:
        """The data, the callback, and both sides; one side for all pairs among its objects."""
        own = self.getObjects()
        if len(args) == 2 and inspect.isroutine(args[1]):
            return args[0], args[1], own, None
        if len(args) == 3 and inspect.isroutine(args[2]):
            other = args[0]
            if isinstance(other, DynamicAABBTreeCollisionManager):
                return args[1], args[2], own, other.getObjects()
            if isinstance(other, CollisionObject):
                return args[1], args[2], [other], own
        raise ValueError("give (data, callback), (object, data, callback) or (manager, data, callback)")

    def collide(self, *args: Any) -> None:
        """Calls `callback(o1, o2, data)` for pairs whose boxes overlap, until it returns `True`."""
        data, callback, first, second = self._pairs(args)
        for i, j, gap in _box_pairs(first, second):
            if gap > 0:
                return
            if callback(first[i], (first if second is None else second)[j], data):
                return

    def distance(self, *args: Any) -> None:
        """Calls `callback(o1, o2, data)`, which returns `(done, distance)`, for pairs in the order of their boxes'
        distances, while these are smaller than the distance found."""
        data, callback, first, second = self._pairs(args)
        best = np.inf
        for i, j, gap in _box_pairs(first, second):
            if gap > best:
                return
            done, best = callback(first[i], (first if second is None else second)[j], data)
            if done:
                return


def _box_pairs(
    first: list[CollisionObject], second: list[CollisionObject] | None
) -> Iterator[tuple[int, int, float]]:
    """All pairs with the distances of their boxes, the nearest first."""
    if not first or second is not None and not second:
        return
    boxes = [np.array([o.box() for o in side]) for side in (first, first if second is None else second)]
    with np.errstate(invalid="ignore"):
        apart = np.maximum(
            boxes[0][:, None, 0] - boxes[1][None, :, 1], boxes[1][None, :, 0] - boxes[0][:, None, 1]
        )
    gaps = np.sqrt(np.square(np.maximum(np.nan_to_num(apart, nan=0.0, neginf=0.0), 0.0)).sum(axis=2))
    rows, columns = np.triu_indices(len(first), 1) if second is None else np.indices(gaps.shape).reshape(2, -1)
    gaps = gaps[rows, columns]
    for number in np.argsort(gaps, kind="stable"):
        yield int(rows[number]), int(columns[number]), float(gaps[number])
