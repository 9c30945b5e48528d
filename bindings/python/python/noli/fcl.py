"""The interface of python-fcl 0.7 on the queries of noli: `import noli.fcl as fcl`.

Classes, functions, arguments and results are those of python-fcl. Verdicts are exact, touching collides, and
`continuousCollide` proves that nothing touches before its time of contact. `docs/python-fcl.md` lists the differences.

>>> import numpy as np
>>> import noli.fcl as fcl
>>> box = fcl.CollisionObject(fcl.Box(1, 1, 1))
>>> cone = fcl.CollisionObject(fcl.Cone(1, 1), fcl.Transform(np.array([0.0, 0.0, 1.1])))
>>> fcl.collide(box, cone)
0
>>> round(fcl.distance(box, cone), 9)
0.1
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _noli
from ._fcl_data import (
    NODE_TYPE,
    OBJECT_TYPE,
    CCDMotionType,
    CCDSolverType,
    CollisionData,
    CollisionRequest,
    CollisionResult,
    Contact,
    ContinuousCollisionRequest,
    ContinuousCollisionResult,
    CostSource,
    DistanceData,
    DistanceRequest,
    DistanceResult,
    GJKSolverType,
)
from ._fcl_geometry import (
    Box,
    BVHModel,
    Capsule,
    CollisionGeometry,
    CollisionObject,
    Cone,
    Convex,
    Cylinder,
    Ellipsoid,
    Halfspace,
    OcTree,
    Plane,
    Sphere,
    TriangleP,
)
from ._fcl_manager import DynamicAABBTreeCollisionManager
from ._fcl_transform import Transform
from ._noli import Model, Motion, Placed, Pose, __version__

__all__ = [
    "NODE_TYPE",
    "OBJECT_TYPE",
    "BVHModel",
    "Box",
    "CCDMotionType",
    "CCDSolverType",
    "Capsule",
    "CollisionData",
    "CollisionGeometry",
    "CollisionObject",
    "CollisionRequest",
    "CollisionResult",
    "Cone",
    "Contact",
    "ContinuousCollisionRequest",
    "ContinuousCollisionResult",
    "Convex",
    "CostSource",
    "Cylinder",
    "DistanceData",
    "DistanceRequest",
    "DistanceResult",
    "DynamicAABBTreeCollisionManager",
    "Ellipsoid",
    "GJKSolverType",
    "Halfspace",
    "OcTree",
    "Plane",
    "Sphere",
    "Transform",
    "TriangleP",
    "__version__",
    "collide",
    "continuousCollide",
    "defaultCollisionCallback",
    "defaultDistanceCallback",
    "distance",
]


def _meshes(*objects: CollisionObject) -> bool:
    return all(isinstance(o.collision_geometry, (BVHModel, TriangleP)) for o in objects)


def _sides(plane: CollisionObject) -> tuple[Placed, Placed]:
    """The two closed half-spaces of a plane."""
    geometry = plane.collision_geometry
    assert isinstance(geometry, Plane)
    placed, pose = geometry.model, plane.getTransform().pose()
    first, second = geometry.sides()
    return placed.at(pose * first), placed.at(pose * second)


def _plane_overlap(plane: CollisionObject, other: CollisionObject) -> bool:
    """A connected body meets a plane where it meets both half-spaces; a mesh, where one of its triangles does."""
    if isinstance(other.collision_geometry, Halfspace):
        return _halfspaces_overlap(plane, other)
    placed = other.placed()
    if not all(_noli.overlap(side, placed) for side in _sides(plane)):
        return False
    if not _meshes(other):
        return True
    heights = _heights(plane, other)
    return bool(np.any((heights.min(axis=1) <= 0) & (heights.max(axis=1) >= 0)))


def _heights(plane: CollisionObject, other: CollisionObject) -> NDArray[np.float64]:
    """Signed distances of the vertices of all triangles from a plane, `(m, 3)`."""
    mesh: Any = other.placed().model.shape
    vertices = other.placed().pose.apply(mesh.vertices)
    side = _sides(plane)[0].pose.matrix
    heights: NDArray[np.float64] = ((vertices - side[:3, 3]) @ side[:3, 2])[mesh.faces]
    return heights


def _halfspaces_overlap(a: CollisionObject, b: CollisionObject) -> bool:
    """Planes and half-spaces are disjoint only if they are parallel and face away from each other."""
    frames = [o.placed().pose.matrix for o in (a, b)]
    normals = [frame[:3, 2] for frame in frames]
    # The sine of the angle between unit normals, which has no length scale: rounding of two rotation matrices is below
    # 1e-15, and a smaller angle moves planes apart only beyond 1e12 times their offsets.
    if np.linalg.norm(np.cross(normals[0], normals[1])) > 1e-12:
        return True
    offsets = [frame[:3, 3] @ normals[0] for frame in frames]
    flat = [isinstance(o.collision_geometry, Plane) for o in (a, b)]
    if all(flat):
        return bool(offsets[0] == offsets[1])
    same = bool(normals[0] @ normals[1] > 0)
    if not any(flat):
        return same or bool(offsets[1] <= offsets[0])
    # One plane: it lies in the half-space or not.
    half = 0 if flat[1] else 1
    outward = 1.0 if half == 0 or same else -1.0
    return bool(outward * (offsets[1 - half] - offsets[half]) <= 0)


def _overlap(o1: CollisionObject, o2: CollisionObject) -> bool:
    geometries = (o1.collision_geometry, o2.collision_geometry)
    if isinstance(geometries[0], Plane):
        return _plane_overlap(o1, o2)
    if isinstance(geometries[1], Plane):
        return _plane_overlap(o2, o1)
    if isinstance(geometries[0], Halfspace) and isinstance(geometries[1], Halfspace):
        return _halfspaces_overlap(o1, o2)
    return _noli.overlap(o1.placed(), o2.placed())


def _contact(o1: CollisionObject, o2: CollisionObject) -> Contact:
    """The deepest contact of two objects that overlap."""
    contact = Contact()
    contact.o1, contact.o2, contact.b1, contact.b2 = o1.collision_geometry, o2.collision_geometry, -1, -1
    if isinstance(contact.o1, Halfspace) and isinstance(contact.o2, Halfspace):
        return contact
    found = _noli.contact(o1.placed(), o2.placed())
    if found is not None:
        contact.normal, contact.pos = found.normal, 0.5 * (found.on_a + found.on_b)
        contact.penetration_depth = found.depth.at_most
    return contact


def collide(
    o1: CollisionObject,
    o2: CollisionObject,
    request: CollisionRequest | None = None,
    result: CollisionResult | None = None,
) -> int:
    """Tests two objects for collision; returns the number of contacts, at most `num_max_contacts`."""
    request = CollisionRequest() if request is None else request
    result = CollisionResult() if result is None else result
    if not _overlap(o1, o2):
        return 0
    result.is_collision = True
    if not request.enable_contact:
        contact = Contact()
        contact.o1, contact.o2, contact.b1, contact.b2 = o1.collision_geometry, o2.collision_geometry, -1, -1
        result.contacts.append(contact)
        return 1
    contacts = [_contact(o1, o2)]
    if _meshes(o1, o2) and request.num_max_contacts > 1:
        contacts = list(_triangle_contacts(o1, o2, contacts[0], request.num_max_contacts)) or contacts
    result.contacts.extend(contacts)
    return len(contacts)


def _triangle_contacts(
    o1: CollisionObject, o2: CollisionObject, deepest: Contact, most: int
) -> Iterator[Contact]:
    """One contact for each pair of intersecting triangles."""
    found = _noli.intersections(o1.placed(), o2.placed())
    for (b1, b2), segment in zip(found.faces[:most], found.segments[:most]):
        contact = Contact()
        contact.o1, contact.o2, contact.b1, contact.b2 = deepest.o1, deepest.o2, int(b1), int(b2)
        contact.normal, contact.penetration_depth = deepest.normal, deepest.penetration_depth
        contact.pos = segment.mean(axis=0)
        yield contact


def distance(
    o1: CollisionObject,
    o2: CollisionObject,
    request: DistanceRequest | None = None,
    result: DistanceResult | None = None,
) -> float:
    """Computes the distance of two objects.

    Of overlapping ones it is -1, as in FCL, or with `enable_signed_distance` the negative penetration depth.
    """
    request = DistanceRequest() if request is None else request
    result = DistanceResult() if result is None else result
    a, b = _distance_sides(o1, o2)
    found = _noli.clearance(a, b)
    value = found.at_most
    points = [found.on_a, found.on_b]
    features = [found.feature_a, found.feature_b]
    if value <= 0 or found.at_least <= 0 and _overlap(o1, o2):
        value = -1.0
        if request.enable_signed_distance:
            contact = _noli.contact(a, b)
            if contact is not None:
                # Touching has depth 0, which is not negative.
                value = -contact.depth.at_most if contact.depth.at_most > 0 else 0.0
                points = [contact.on_a, contact.on_b]
    if value < result.min_distance:
        result.min_distance = value
        if request.enable_nearest_points:
            result.nearest_points = list(points)
        result.o1, result.o2 = o1.collision_geometry, o2.collision_geometry
        result.b1, result.b2 = (_face(feature) for feature in features)
    return value


def _distance_sides(o1: CollisionObject, o2: CollisionObject) -> tuple[Placed, Placed]:
    """The bodies whose distance is that of the objects: for a plane, the half-space that does not hold the other one."""
    objects, placed = (o1, o2), [o1.placed(), o2.placed()]
    halves = [isinstance(o.collision_geometry, Halfspace) for o in objects]
    if all(halves):
        raise NotImplementedError("the distance of two planes or half-spaces is not computed; compare their offsets")
    for number, this in enumerate(objects):
        if isinstance(this.collision_geometry, Plane):
            other = placed[1 - number]
            sides = _sides(this)
            # The body lies in one of them: its distance to the plane is that to the other.
            away = [side for side in sides if not _noli.overlap(side, other)]
            placed[number] = away[0] if away else sides[0]
    return placed[0], placed[1]


def _face(feature: Any) -> int:
    """The number of a face; -1 for vertices, edges and smooth surfaces, which FCL does not number either."""
    return int(feature[1][0]) if feature is not None and feature[0] == "face" else -1


def _motion(o: CollisionObject, end: Transform, kind: int) -> Motion:
    local = o.collision_geometry.local_pose()
    start, final = o.placed().pose, end.pose() if local is None else end.pose() * local
    if kind == CCDMotionType.CCDM_TRANS:
        return Motion.velocities(start, final.translation - start.translation)
    if kind == CCDMotionType.CCDM_SCREW:
        return _screw(start, final)
    return Motion.between(start, final)


def _screw(start: Pose, end: Pose) -> Motion:
    """The screw motion between two poses (Chasles)."""
    relative = end.matrix @ np.linalg.inv(start.matrix)
    quaternion = (end * start.inverse()).wxyz
    quaternion = quaternion if quaternion[0] >= 0 else -quaternion
    sine = float(np.linalg.norm(quaternion[1:]))
    # An angle, which has no length scale: below it the point of the axis is lost to rounding, and the rotation moves a
    # body by at most 2e-12 of its size.
    if sine < 1e-12:
        return Motion.velocities(start, end.translation - start.translation)
    axis, angle = quaternion[1:] / sine, 2 * float(np.arctan2(sine, quaternion[0]))
    advance = float(axis @ relative[:3, 3])
    across = relative[:3, 3] - advance * axis
    point = np.linalg.lstsq(np.eye(3) - relative[:3, :3], across, rcond=None)[0]
    return Motion.screw(start, point, axis, angle, advance)


def continuousCollide(
    o1: CollisionObject,
    tf1_end: Transform,
    o2: CollisionObject,
    tf2_end: Transform,
    request: ContinuousCollisionRequest | None = None,
    result: ContinuousCollisionResult | None = None,
) -> float:
    """Computes the first contact while both objects move to their end transforms; 1 if there is none.

    Nothing touches before the returned time. `CCDM_TRANS` moves without turning, `CCDM_LINEAR` also turns, `CCDM_SCREW`
    moves along a screw; splines are not supported.
    """
    request = ContinuousCollisionRequest() if request is None else request
    result = ContinuousCollisionResult() if result is None else result
    if request.ccd_motion_type == CCDMotionType.CCDM_SPLINE:
        raise NotImplementedError("spline motions are not supported; use CCDM_LINEAR or CCDM_SCREW")
    if any(isinstance(o.collision_geometry, Plane) for o in (o1, o2)):
        raise NotImplementedError("moving planes are not supported; use a half-space")
    models: list[Model] = [o1.placed().model, o2.placed().model]
    motions = [_motion(o, end, request.ccd_motion_type) for o, end in ((o1, tf1_end), (o2, tf2_end))]
    impact = _noli.time_of_impact(models[0].moving(motions[0]), models[1].moving(motions[1]))
    result.is_collide = result.is_collide or impact.is_hit
    result.time_of_contact = min(result.time_of_contact, impact.safe_until)
    return impact.safe_until


def defaultCollisionCallback(o1: CollisionObject, o2: CollisionObject, cdata: CollisionData) -> bool:
    """Collides a candidate pair into `cdata.result`; `True` once enough contacts were found."""
    if cdata.done:
        return True
    collide(o1, o2, cdata.request, cdata.result)
    if cdata.result.is_collision and len(cdata.result.contacts) >= cdata.request.num_max_contacts:
        cdata.done = True
    return cdata.done


def defaultDistanceCallback(
    o1: CollisionObject, o2: CollisionObject, cdata: DistanceData
) -> tuple[bool, float]:
    """Computes the distance of a candidate pair into `cdata.result`; `(done, distance so far)`."""
    if cdata.done:
        return True, cdata.result.min_distance
    distance(o1, o2, cdata.request, cdata.result)
    return cdata.result.min_distance <= 0, cdata.result.min_distance
