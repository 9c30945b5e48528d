"""`Checker`: a robot among objects that come, go and move, with configurations by joint name.

>>> import noli, noli.checker
>>> checker = noli.checker.Checker(noli.Robot.puma560())
>>> checker.in_collision({"j2": 0.3})
False
>>> checker.add_object("post", noli.Model(noli.Convex.cuboid([0.1, 0.1, 2])), noli.Pose([0.6, 0.15, 0]))
>>> checker.in_collision({"j2": 0.3})
True
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._noli import Impact, Model, PointCloud, Pose, Robot
from .acm import AllowedCollisionMatrix

__all__ = ["Checker", "Collisions", "Nearest", "pinocchio_columns"]

Floats = NDArray[np.float64]
Configuration = Mapping[str, Any] | ArrayLike


class Nearest(NamedTuple):
    """The nearest pair of each configuration."""

    at_least: Floats
    """Clearance: no two parts are closer, `(n,)`."""
    at_most: Floats
    """Clearance: some two parts are this close, `(n,)`."""
    pairs: list[tuple[str, str] | None]
    """Names of the nearest pair."""
    points: Floats
    """Nearest points of both, in the world, `(n, 2, 3)`; NaN in collision."""
    gradient: Floats
    """Derivatives of the clearance by the joints of the group, `(n, dof)`; NaN in collision. One-sided where not unique."""
    unique: NDArray[np.bool_] | None
    """`True` where the one-sided derivatives agree with the gradient; `None` if not requested."""


class Collisions(NamedTuple):
    """Colliding pairs of configurations, a row for each."""

    states: NDArray[np.int64]
    """Row of the configuration."""
    pairs: list[tuple[str, str]]
    """Names of both parts."""
    points: Floats
    """A common point, in the world, `(k, 3)`; NaN where none is known."""


class _Object(NamedTuple):
    model: Model
    pose: Pose
    link: str | None
    may_touch: tuple[str, ...]


class Checker:
    """A robot with objects, an allowed collision matrix and a planning group.

    A configuration is a dict by joint name, or an array with a column for each joint of the group or of the robot; for
    many, a dict of arrays or a two-dimensional array. Joints that are not given keep the values of `default`.
    Changes are applied together by the next query, which prepares the cell once; meshes are not prepared again.
    """

    def __init__(self, robot: Robot, *, group: str | None = None, default: Configuration | None = None) -> None:
        self._base = robot
        self._objects: dict[str, _Object] = {}
        self._acm = AllowedCollisionMatrix.of_robot(robot)
        self._edited = False
        self._robot: Robot | None = robot
        names = robot.joint_names
        self._group = names
        if group is not None:
            groups = robot.groups
            if group not in groups:
                raise ValueError(f"there is no group `{group}`; the groups of the SRDF are {sorted(groups)}")
            self._group = list(groups[group])
        self._columns = [names.index(name) for name in self._group]
        self._numbers = tuple(self._columns)
        self.default: Floats = robot.neutral
        if default is not None:
            self.default = self.full(default)

    @classmethod
    def from_urdf(
        cls,
        path: str | os.PathLike[str],
        *,
        srdf: str | os.PathLike[str] | None = None,
        packages: Sequence[str | os.PathLike[str]] = (),
        group: str | None = None,
    ) -> Checker:
        """Reads a URDF file with its meshes, and an SRDF file."""
        return cls(Robot.from_urdf(path, srdf=srdf, packages=list(packages)), group=group)

    @property
    def robot(self) -> Robot:
        """The robot with all objects and changes."""
        if self._robot is None:
            robot = self._base
            for name, one in self._objects.items():
                if one.link is None:
                    robot = robot.with_body(name, one.model, one.pose)
                else:
                    robot = robot.with_carried(one.link, name, one.model, one.pose, may_touch=list(one.may_touch))
            self._robot = self._acm._applied(robot) if self._edited else robot
        return self._robot

    @property
    def joint_names(self) -> list[str]:
        """Joints of the group, in the order of columns."""
        return list(self._group)

    @property
    def limits(self) -> Floats:
        """Limits of the joints of the group, `(dof, 2)`."""
        return self._base.limits[self._columns]

    # Configurations

    def full(self, q: Configuration) -> Floats:
        """Returns a configuration of all joints of the robot: `(dof,)`, or `(n, dof)` for many."""
        if isinstance(q, Mapping):
            return self._by_name(q)
        array = np.asarray(q, dtype=np.float64)
        total = len(self._base.joint_names)
        if array.ndim not in (1, 2) or array.shape[-1] not in (len(self._group), total):
            raise ValueError(
                f"a configuration has {len(self._group)} columns ({', '.join(self._group)}) or {total}, "
                f"not the shape {array.shape}"
            )
        if array.shape[-1] == total:
            return array
        whole = np.broadcast_to(self.default, (*array.shape[:-1], total)).copy()
        whole[..., self._columns] = array
        return whole

    def _by_name(self, q: Mapping[str, Any]) -> Floats:
        names = self._base.joint_names
        unknown = [name for name in q if name not in names]
        if unknown:
            raise ValueError(f"there is no joint `{unknown[0]}`; the joints are {', '.join(names)}")
        columns = {name: np.asarray(value, dtype=np.float64) for name, value in q.items()}
        shape = np.broadcast_shapes(*(column.shape for column in columns.values())) if columns else ()
        if len(shape) > 1:
            raise ValueError("values by joint name are numbers, or arrays of one dimension")
        whole = np.broadcast_to(self.default, (*shape, len(names))).copy()
        for name, column in columns.items():
            whole[..., names.index(name)] = column
        return whole

    def as_dict(self, q: ArrayLike) -> dict[str, float]:
        """Returns one configuration as a dict of all joints."""
        return dict(zip(self._base.joint_names, map(float, self.full(q))))

    # Objects

    def add_object(self, name: str, model: Model, pose: Pose | ArrayLike | None = None) -> None:
        """Adds a fixed obstacle."""
        self._put(name, _Object(model, _pose(pose), None, ()))

    def attach(
        self,
        link: str,
        name: str,
        model: Model | None = None,
        pose: Pose | ArrayLike | None = None,
        *,
        may_touch: Sequence[str] = (),
        at: Configuration | None = None,
    ) -> None:
        """Attaches an object to a link, at a pose on the link.

        Without a model, an object that is there is attached where it is while the robot is at the configuration `at`.
        """
        if model is not None:
            self._put(name, _Object(model, _pose(pose), link, tuple(may_touch)))
            return
        one = self._known(name)
        if one.link is not None or at is None:
            raise ValueError(f"`{name}`: give `at`, the configuration in which the fixed object is attached")
        self._objects[name] = _Object(one.model, self._link_pose(link, at).inverse() * one.pose, link, tuple(may_touch))
        self._robot = None

    def detach(self, name: str, at: Configuration) -> Pose:
        """Detaches an object, which stays where it is in the configuration `at`; returns its pose in the world."""
        one = self._known(name)
        if one.link is None:
            raise ValueError(f"`{name}` is not attached")
        pose = self._link_pose(one.link, at) * one.pose
        self._objects[name] = _Object(one.model, pose, None, ())
        self._robot = None
        return pose

    def move_object(self, name: str, pose: Pose | ArrayLike) -> None:
        """Moves an object: in the world, or on its link if it is attached."""
        one = self._known(name)
        self._objects[name] = one._replace(pose=_pose(pose))
        self._robot = None

    def set_object(self, name: str, model: Model, pose: Pose | ArrayLike | None = None) -> None:
        """Replaces the shape and pose of a fixed obstacle, or adds it; nothing else is prepared again."""
        one = _Object(model, _pose(pose), None, ())
        if name not in self._objects:
            self._put(name, one)
            return
        if self._objects[name].link is not None:
            raise ValueError(f"`{name}` is attached; detach or remove it")
        self._objects[name] = one
        if self._robot is not None:
            self._robot = self._robot.with_replaced(name, model, one.pose)

    def set_cloud(
        self, name: str, points: ArrayLike, *, radius: ArrayLike, pose: Pose | ArrayLike | None = None
    ) -> PointCloud:
        """Replaces the points of a sensor, `(n, 3)`, or adds them under this name; returns the cloud.

        `radius` is that of all points, or `(n,)` for one each.
        Points that are not finite are dropped. No point at all is an obstacle that nothing touches.
        """
        array = np.asarray(points)
        cloud = PointCloud(array if array.size else np.zeros((0, 3)), radius=radius)
        self.set_object(name, Model(cloud), pose)
        return cloud

    def remove_object(self, name: str) -> None:
        """Removes an object."""
        self._known(name)
        del self._objects[name]
        self._robot = None

    @property
    def object_names(self) -> list[str]:
        """Names of the objects."""
        return list(self._objects)

    def _put(self, name: str, one: _Object) -> None:
        if name in self._objects:
            raise ValueError(f"there is an object `{name}` already; remove or move it")
        self._objects[name] = one
        self._robot = None

    def _known(self, name: str) -> _Object:
        if name not in self._objects:
            raise ValueError(f"there is no object `{name}`; the objects are {', '.join(self._objects) or 'none'}")
        return self._objects[name]

    def _link_pose(self, link: str, q: Configuration) -> Pose:
        whole = self.full(q)
        if whole.ndim != 1:
            raise ValueError("one configuration is wanted")
        names = self._base.link_names
        if link not in names:
            raise ValueError(f"there is no link `{link}`; the links are {', '.join(names)}")
        return Pose.from_matrix(self._base.link_poses(whole)[names.index(link)])

    # Allowed collision matrix

    @property
    def acm(self) -> AllowedCollisionMatrix:
        """A copy of the allowed collision matrix; assign one to change it."""
        acm = self._acm.copy()
        if not self._edited:
            acm._add_disabled(self.robot)
        return acm

    @acm.setter
    def acm(self, acm: AllowedCollisionMatrix) -> None:
        pairs = (name for pair in self._base.pair_names for name in pair)
        acm.check_names({*self._base.link_names, *pairs, *self._objects})
        self._acm, self._edited, self._robot = acm.copy(), True, None

    # Queries

    def in_collision(self, q: Configuration) -> Any:
        """Tests one configuration (a bool) or many (an array)."""
        robot = self._robot
        if robot is None:
            robot = self.robot
        found = robot._check_joints(q, self._numbers, self.default)
        return robot.check(self.full(q)) if found is None else found

    def collisions(self, q: Configuration) -> Collisions:
        """Computes all colliding pairs of one or many configurations, with a common point of each."""
        robot = self.robot
        found = robot.collisions(self.full(q))
        names = robot.pair_names
        pairs = [(names[pair][0], names[pair][1]) for pair in found["pair"]]
        return Collisions(found["state"], pairs, found["point"])

    def nearest(self, q: Configuration, *, unique: bool = False) -> Nearest:
        """Computes clearance, nearest points and the gradient of the clearance in joint space.

        `unique=True` compares the gradient with one-sided difference quotients: where several points are nearest, as
        between parallel faces, the clearance has a kink.
        """
        whole = np.atleast_2d(self.full(q))
        robot = self.robot
        found = robot.nearest(whole)
        names = robot.pair_names
        pairs = [None if pair < 0 else (names[pair][0], names[pair][1]) for pair in found["pair"]]
        gradient = found["gradient"][:, self._columns]
        flags = self._is_unique(whole, found["at_most"], gradient) if unique else None
        return Nearest(found["at_least"], found["at_most"], pairs, found["points"], gradient, flags)

    def _is_unique(self, whole: Floats, clearance: Floats, gradient: Floats, step: float = 1e-6) -> NDArray[np.bool_]:
        agrees: NDArray[np.bool_] = np.asarray(np.isfinite(gradient).all(axis=1), dtype=np.bool_)
        # To second order the distance bends by the square of the speed over the clearance. Bodies nearer than one step
        # moves them are compared at the scale of the step: below it a difference quotient resolves nothing.
        speed = np.abs(gradient).max(axis=1, initial=1.0)
        slack = 1e-3 * speed + 4 * step * speed**2 / np.maximum(clearance, step * speed)
        for number, column in enumerate(self._columns):
            for sign in (1.0, -1.0):
                moved = whole.copy()
                moved[:, column] += sign * step
                quotient = (self.robot.nearest(moved)["at_most"] - clearance) / (sign * step)
                agrees &= np.abs(quotient - gradient[:, number]) <= slack
        return agrees

    def jacobian(self, q: Configuration, link: str | None = None, point: ArrayLike | None = None) -> Floats:
        """Computes the Jacobian of a point of the world on a link: `(6, dof)`, linear rows first."""
        at = None if point is None else [float(x) for x in np.asarray(point, dtype=np.float64).reshape(3)]
        return self._base.jacobian(self.full(q), link, at)[:, self._columns]

    def check_motion(self, start: Configuration, end: Configuration) -> bool:
        """Returns `True` if the straight joint motion is collision-free at every moment, by proof."""
        return not bool(self.robot.check_edges(np.atleast_2d(self.full(start)), np.atleast_2d(self.full(end)))[0])

    def first_contact(self, start: Configuration, end: Configuration) -> Impact:
        """Computes the first contact on the straight joint motion."""
        return self.robot.check_edge(self.full(start), self.full(end))

    def plan(self, start: Configuration, goal: Configuration, **options: Any) -> Floats | None:
        """Plans a path of all joints, proven collision-free; `None` if none was found. Options as of `Robot.plan`."""
        return self.robot.plan(self.full(start), self.full(goal), **options)


def _pose(pose: Pose | ArrayLike | None) -> Pose:
    if pose is None:
        return Pose()
    return pose if isinstance(pose, Pose) else Pose.from_matrix(pose)


def pinocchio_columns(robot: Robot, model: Any) -> NDArray[np.int64]:
    """Returns the columns of a Pinocchio configuration in the order of the robot's joints: `robot.check(q[columns])`.

    `model` is a `pinocchio.Model` of the same robot; joints are matched by name. Continuous joints, which Pinocchio
    stores as cosine and sine, and joints of several variables are refused.
    """
    columns = []
    names = list(model.names)
    for name in robot.joint_names:
        if name not in names:
            raise ValueError(f"the Pinocchio model has no joint `{name}`; it has {', '.join(names[1:])}")
        joint = model.joints[names.index(name)]
        if joint.nq != 1:
            raise ValueError(f"joint `{name}` has {joint.nq} values in Pinocchio; give it limits (revolute)")
        columns.append(int(joint.idx_q))
    return np.array(columns, dtype=np.int64)
