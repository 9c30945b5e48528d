"""Geometries and collision objects of `noli.fcl`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _noli
from ._fcl_data import NODE_TYPE, OBJECT_TYPE
from ._fcl_transform import Floats, Transform, _vector
from ._noli import Mesh, Model, Placed, Pose


class CollisionGeometry:
    """A shape; its model is built on first use and again after a change."""

    _node: int | None = None

    def __init__(self) -> None:
        self._model: Model | None = None
        self._local: Pose | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            object.__setattr__(self, "_model", None)
            object.__setattr__(self, "_local", None)
        object.__setattr__(self, name, value)

    def _shape(self) -> Any:
        raise ValueError("a CollisionGeometry without a shape; use Box, Sphere, BVHModel, ...")

    @property
    def model(self) -> Model:
        """The `noli.Model` of the shape."""
        if self._model is None:
            object.__setattr__(self, "_model", Model(self._shape()))
        return self._model  # type: ignore[return-value]

    def local_pose(self) -> Pose | None:
        """Returns the pose of the model in the frame of the geometry; `None` if it is the identity."""
        return None

    def getNodeType(self) -> int | None:
        """Returns the value of `NODE_TYPE`."""
        return self._node

    def computeLocalAABB(self) -> None:
        """Has no effect: boxes are computed on demand."""

    @property
    def aabb_center(self) -> Floats:
        """Centre of the bounding box in the frame of the geometry."""
        low, high = self.model.bounds
        return np.asarray(0.5 * (low + high), dtype=np.float64)


class Box(CollisionGeometry):
    """A box centred at the origin, with these edge lengths."""

    _node = NODE_TYPE.GEOM_BOX

    def __init__(self, x: float, y: float, z: float) -> None:
        super().__init__()
        self.side = np.array([x, y, z], dtype=np.float64)

    def _shape(self) -> Any:
        return _noli.Convex.cuboid(self.side)


class Sphere(CollisionGeometry):
    """A sphere centred at the origin."""

    _node = NODE_TYPE.GEOM_SPHERE

    def __init__(self, radius: float) -> None:
        super().__init__()
        self.radius = float(radius)

    def _shape(self) -> Any:
        return _noli.Convex.sphere(self.radius)


class Ellipsoid(CollisionGeometry):
    """An ellipsoid centred at the origin, with these radii."""

    _node = NODE_TYPE.GEOM_ELLIPSOID

    def __init__(self, a: float, b: float, c: float) -> None:
        super().__init__()
        self.radii = np.array([a, b, c], dtype=np.float64)

    def _shape(self) -> Any:
        return _noli.Convex.ellipsoid(self.radii)


class _Round(CollisionGeometry):
    def __init__(self, radius: float, lz: float) -> None:
        super().__init__()
        self.radius, self.lz = float(radius), float(lz)


class Capsule(_Round):
    """A capsule along z, centred at the origin: a cylinder of length `lz` with hemispherical caps."""

    _node = NODE_TYPE.GEOM_CAPSULE

    def _shape(self) -> Any:
        return _noli.Convex.capsule(self.lz, self.radius)


class Cone(_Round):
    """A cone along z of height `lz`, its tip up, centred at the origin."""

    _node = NODE_TYPE.GEOM_CONE

    def _shape(self) -> Any:
        return _noli.Convex.cone(self.lz, self.radius)


class Cylinder(_Round):
    """A cylinder along z of height `lz`, centred at the origin."""

    _node = NODE_TYPE.GEOM_CYLINDER

    def _shape(self) -> Any:
        return _noli.Convex.cylinder(self.lz, self.radius)


class Convex(CollisionGeometry):
    """A convex polytope. `faces` lists for each face its number of vertices and their numbers."""

    _node = NODE_TYPE.GEOM_CONVEX

    def __init__(self, vertices: ArrayLike, num_faces: int, faces: ArrayLike) -> None:
        super().__init__()
        self._vertices = np.array(vertices, dtype=np.float64).reshape(-1, 3)
        self._num_faces = int(num_faces)
        at, flat = 0, np.array(faces, dtype=np.int64).reshape(-1)
        for _ in range(self._num_faces):
            count = int(flat[at]) if at < len(flat) else -1
            numbers = flat[at + 1 : at + 1 + count]
            if count < 3 or len(numbers) != count or numbers.min() < 0 or numbers.max() >= len(self._vertices):
                raise ValueError("faces: each needs its number of vertices, at least 3, and as many vertex numbers")
            at += 1 + count

    @property
    def num_faces(self) -> int:
        """Number of faces."""
        return self._num_faces

    def _shape(self) -> Any:
        return _noli.Convex.hull(self._vertices)


class TriangleP(CollisionGeometry):
    """A triangle."""

    _node = NODE_TYPE.GEOM_TRIANGLE

    def __init__(self, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> None:
        super().__init__()
        self.a, self.b, self.c = _vector(a), _vector(b), _vector(c)

    def _shape(self) -> Any:
        return Mesh([self.a, self.b, self.c], [[0, 1, 2]])


class Halfspace(CollisionGeometry):
    """All points x with n·x ≤ d."""

    _node = NODE_TYPE.GEOM_HALFSPACE

    def __init__(self, n: ArrayLike, d: float) -> None:
        super().__init__()
        length = float(np.linalg.norm(_vector(n)))
        if not 0 < length < np.inf:
            raise ValueError("the normal of a half-space must have a direction")
        # As FCL does, a normal of any length is scaled to 1 with its offset.
        self.n, self.d = _vector(n) / length, float(d) / length

    def _shape(self) -> Any:
        return "half-space"

    def local_pose(self) -> Pose | None:
        """Returns the pose that takes z ≤ 0 to the half-space."""
        if self._local is None:
            object.__setattr__(self, "_local", _facing(self.n, self.d))
        return self._local


class Plane(Halfspace):
    """All points x with n·x = d."""

    _node = NODE_TYPE.GEOM_PLANE

    def sides(self) -> tuple[Pose, Pose]:
        """Returns the poses of both closed half-spaces, whose intersection is the plane."""
        return _facing(self.n, self.d), _facing(-self.n, -self.d)


def _facing(normal: Floats, offset: float) -> Pose:
    """Returns a pose whose z axis is `normal`, at this distance from the origin."""
    axis = np.cross([0.0, 0.0, 1.0], normal)
    quaternion = np.array([1.0 + normal[2], *axis])
    if quaternion @ quaternion < 1e-20:
        quaternion = np.array([0.0, 1.0, 0.0, 0.0])
    return Pose(normal * offset, quaternion / np.linalg.norm(quaternion), quat="wxyz")


class BVHModel(CollisionGeometry):
    """A triangle mesh. As in FCL it is its surface; `solid=True` interprets a closed mesh as the solid it bounds."""

    _node = NODE_TYPE.BV_OBBRSS

    def __init__(self, *, solid: bool = False) -> None:
        super().__init__()
        self._solid = solid
        self._vertices: list[Floats] = []
        self._faces: list[NDArray[np.int64]] = []
        self._count = 0
        self._state = 0
        self._mesh: Mesh | None = None

    def num_tries_(self) -> int:
        """Returns the number of triangles."""
        return sum(len(faces) for faces in self._faces)

    def buildState(self) -> int:
        """Returns 0 before `beginModel`, 1 until `endModel`, 2 after it."""
        return self._state

    def beginModel(self, num_tris_: int = 0, num_vertices_: int = 0) -> int:
        """Begins a new model; the numbers are hints."""
        self._vertices, self._faces, self._count, self._state, self._mesh = [], [], 0, 1, None
        object.__setattr__(self, "_model", None)
        return 0

    def addVertex(self, x: float, y: float, z: float) -> bool:
        """Adds a vertex."""
        self._vertices.append(np.array([[x, y, z]], dtype=np.float64))
        self._count += 1
        return True

    def addTriangle(self, v1: ArrayLike, v2: ArrayLike, v3: ArrayLike) -> bool:
        """Adds a triangle by its vertices."""
        return self.addSubModel(np.array([v1, v2, v3]), np.array([[0, 1, 2]]))

    def addSubModel(self, verts: ArrayLike, triangles: ArrayLike) -> bool:
        """Adds vertices `(n, 3)` and triangles `(m, 3)`."""
        if self._state != 1:
            raise ValueError("BVH construction does not follow correct sequence: call beginModel first")
        vertices = np.array(verts, dtype=np.float64).reshape(-1, 3)
        self._faces.append(np.array(triangles, dtype=np.int64).reshape(-1, 3) + self._count)
        self._vertices.append(vertices)
        self._count += len(vertices)
        return True

    def endModel(self) -> int:
        """Ends the model and builds its tree. Raises `ValueError` without a triangle."""
        if self._state != 1:
            raise ValueError("BVH construction does not follow correct sequence: call beginModel first")
        if not self._faces:
            raise ValueError("BVH geometry is not prepared: there is no triangle")
        self._mesh = Mesh(np.concatenate(self._vertices), np.concatenate(self._faces), solid=self._solid)
        self._state = 2
        object.__setattr__(self, "_model", Model(self._mesh))
        return 0

    def _shape(self) -> Any:
        raise ValueError("BVH geometry is not prepared: call endModel first")

    @property
    def mesh(self) -> Mesh:
        """The `noli.Mesh`."""
        if self._mesh is None:
            raise ValueError("BVH geometry is not prepared: call endModel first")
        return self._mesh


class OcTree(CollisionGeometry):
    """Octrees of OctoMap are not supported."""

    _node = NODE_TYPE.GEOM_OCTREE

    def __init__(self, r: float, data: bytes) -> None:
        raise NotImplementedError("octrees are not supported; add the occupied cells as boxes, or as one mesh")


class CollisionObject:
    """A geometry at a transform."""

    def __init__(self, geom: CollisionGeometry | None = None, tf: Transform | None = None) -> None:
        if geom is None or geom.getNodeType() is None:
            raise ValueError("a CollisionObject needs a geometry")
        self._geom = geom
        self._tf = Transform() if tf is None else Transform(tf)
        self._placed: Placed | None = None
        self._model: Model | None = None
        self._box: Floats | None = None

    @property
    def collision_geometry(self) -> CollisionGeometry:
        """The geometry."""
        return self._geom

    def _moved(self) -> None:
        self._placed, self._box = None, None

    def placed(self) -> Placed:
        """Returns the model at its pose."""
        model = self._geom.model
        if self._placed is None or self._model is not model:
            local, pose = self._geom.local_pose(), self._tf.pose()
            self._placed, self._model, self._box = model.at(pose if local is None else pose * local), model, None
        return self._placed

    def box(self) -> Floats:
        """Returns the bounding box in the world, `(2, 3)`; infinite for planes and half-spaces."""
        if isinstance(self._geom, Halfspace):
            return np.array([[-np.inf] * 3, [np.inf] * 3])
        placed = self.placed()
        if self._box is None:
            low, high = placed.model.bounds
            vertices = np.array(np.meshgrid(*zip(low, high))).reshape(3, -1).T
            moved = placed.pose.apply(vertices)
            # A share of the largest term of the sums: rounding moves a vertex by a few units of its last place.
            slack = 1e-12 * (np.abs(vertices).max() + np.abs(placed.pose.translation).max())
            self._box = np.array([moved.min(axis=0) - slack, moved.max(axis=0) + slack])
        return self._box

    def getObjectType(self) -> int:
        """Returns the value of `OBJECT_TYPE`."""
        return OBJECT_TYPE.OT_BVH if isinstance(self._geom, BVHModel) else OBJECT_TYPE.OT_GEOM

    def getNodeType(self) -> int | None:
        """Returns the value of `NODE_TYPE`."""
        return self._geom.getNodeType()

    def getTranslation(self) -> Floats:
        """Returns the translation."""
        return self._tf.getTranslation()

    def setTranslation(self, vec: ArrayLike) -> None:
        """Sets the translation."""
        self._tf.setTranslation(vec)
        self._moved()

    def getRotation(self) -> Floats:
        """Returns the rotation matrix."""
        return self._tf.getRotation()

    def setRotation(self, mat: ArrayLike) -> None:
        """Sets the rotation matrix."""
        self._tf.setRotation(mat)
        self._moved()

    def getQuatRotation(self) -> Floats:
        """Returns the rotation as a quaternion, its real part first."""
        return self._tf.getQuatRotation()

    def setQuatRotation(self, q: ArrayLike) -> None:
        """Sets the rotation by a quaternion, its real part first."""
        self._tf.setQuatRotation(q)
        self._moved()

    def getTransform(self) -> Transform:
        """Returns a copy of the transform."""
        return Transform(self._tf)

    def setTransform(self, tf: Transform) -> None:
        """Sets the transform."""
        self._tf = Transform(tf)
        self._moved()

    def isOccupied(self) -> bool:
        """Returns `True`: all geometries are occupied."""
        return True

    def isFree(self) -> bool:
        """Returns `False`."""
        return False

    def isUncertain(self) -> bool:
        """Returns `False`."""
        return False
