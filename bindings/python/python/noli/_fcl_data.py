"""Requests, results and enumerations of `noli.fcl`, with the names, fields and defaults of python-fcl 0.7."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray


class OBJECT_TYPE:
    """Kinds of collision objects."""

    OT_UNKNOWN, OT_BVH, OT_GEOM, OT_OCTREE, OT_COUNT = range(5)


class NODE_TYPE:
    """Kinds of collision geometry."""

    BV_UNKNOWN, BV_AABB, BV_OBB, BV_RSS, BV_kIOS, BV_OBBRSS, BV_KDOP16, BV_KDOP18, BV_KDOP24 = range(9)
    GEOM_BOX, GEOM_SPHERE, GEOM_ELLIPSOID, GEOM_CAPSULE, GEOM_CONE, GEOM_CYLINDER = range(9, 15)
    GEOM_CONVEX, GEOM_PLANE, GEOM_HALFSPACE, GEOM_TRIANGLE, GEOM_OCTREE, NODE_COUNT = range(15, 21)


class CCDMotionType:
    """Kinds of motion between two transforms."""

    CCDM_TRANS, CCDM_LINEAR, CCDM_SCREW, CCDM_SPLINE = range(4)


class CCDSolverType:
    """Continuous-collision solvers of FCL; accepted, and without effect."""

    CCDC_NAIVE, CCDC_CONSERVATIVE_ADVANCEMENT, CCDC_RAY_SHOOTING, CCDC_POLYNOMIAL_SOLVER = range(4)


class GJKSolverType:
    """GJK solvers of FCL; accepted, and without effect."""

    GST_LIBCCD, GST_INDEP = range(2)


class Contact:
    """A contact: both geometries, the triangles there, normal from the first to the second, point and depth."""

    def __init__(self) -> None:
        self.o1: Any = None
        self.o2: Any = None
        self.b1 = 0
        self.b2 = 0
        self.normal: NDArray[np.float64] = np.zeros(3)
        self.pos: NDArray[np.float64] = np.zeros(3)
        self.penetration_depth = 0.0


class CostSource:
    """A cost source of FCL; none is ever reported."""

    def __init__(self) -> None:
        self.aabb_min: NDArray[np.float64] = np.zeros(3)
        self.aabb_max: NDArray[np.float64] = np.zeros(3)
        self.cost_density = 0.0
        self.total_cost = 0.0


class CollisionRequest:
    """Options of `collide`."""

    def __init__(
        self,
        num_max_contacts: int = 1,
        enable_contact: bool = False,
        num_max_cost_sources: int = 1,
        enable_cost: bool = False,
        use_approximate_cost: bool = True,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
    ) -> None:
        self.num_max_contacts = num_max_contacts
        self.enable_contact = enable_contact
        self.num_max_cost_sources = num_max_cost_sources
        self.enable_cost = enable_cost
        self.use_approximate_cost = use_approximate_cost
        self.gjk_solver_type = gjk_solver_type


class CollisionResult:
    """Result of `collide`; results of several calls accumulate."""

    def __init__(self, is_collision: bool = False) -> None:
        self.is_collision = is_collision
        self.contacts: list[Contact] = []
        self.cost_sources: list[CostSource] = []


class ContinuousCollisionRequest:
    """Options of `continuousCollide`; only the kind of motion has an effect."""

    def __init__(
        self,
        num_max_iterations: int = 10,
        toc_err: float = 0.0001,
        ccd_motion_type: int = CCDMotionType.CCDM_TRANS,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
        ccd_solver_type: int = CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
    ) -> None:
        self.num_max_iterations = num_max_iterations
        self.toc_err = toc_err
        self.ccd_motion_type = ccd_motion_type
        self.gjk_solver_type = gjk_solver_type
        self.ccd_solver_type = ccd_solver_type


class ContinuousCollisionResult:
    """Result of `continuousCollide`: nothing touches before `time_of_contact`."""

    def __init__(self, is_collide: bool = False, time_of_contact: float = 1.0) -> None:
        self.is_collide = is_collide
        self.time_of_contact = time_of_contact


class DistanceRequest:
    """Options of `distance`."""

    def __init__(
        self,
        enable_nearest_points: bool = False,
        enable_signed_distance: bool = False,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
    ) -> None:
        self.enable_nearest_points = enable_nearest_points
        self.enable_signed_distance = enable_signed_distance
        self.gjk_solver_type = gjk_solver_type


class DistanceResult:
    """Result of `distance`; of several calls the smallest is kept."""

    def __init__(self, min_distance_: float = sys.float_info.max) -> None:
        self.min_distance = min_distance_
        self.nearest_points: list[NDArray[np.float64] | None] = [None, None]
        self.o1: Any = None
        self.o2: Any = None
        self.b1 = -1
        self.b2 = -1


class CollisionData:
    """Request, result and a flag to stop, for callbacks of managers."""

    def __init__(self, request: CollisionRequest | None = None, result: CollisionResult | None = None) -> None:
        self.request = CollisionRequest() if request is None else request
        self.result = CollisionResult() if result is None else result
        self.done = False


class DistanceData:
    """Request, result and a flag to stop, for callbacks of managers."""

    def __init__(self, request: DistanceRequest | None = None, result: DistanceResult | None = None) -> None:
        self.request = DistanceRequest() if request is None else request
        self.result = DistanceResult() if result is None else result
        self.done = False
