"""Types of the compiled module; the tests compare them with it by mypy's stubtest."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeAlias, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._results import (
    Brackets,
    Clearances,
    Contacts,
    DynamicsSummary,
    Impacts,
    PairResult,
    Profile,
    RemovalResult,
)

Path: TypeAlias = str | os.PathLike[str]
Quat: TypeAlias = Literal["wxyz", "xyzw"]
Kind: TypeAlias = Literal["auto", "solid", "surface"]
Device: TypeAlias = Literal["cpu", "cuda"]
Guarantee: TypeAlias = Literal["exact", "conservative", "approximate"]
RelationWord: TypeAlias = Literal["separated", "touching", "intersecting", "inside", "unknown"]
LocationWord: TypeAlias = Literal["outside", "on surface", "inside", "unknown"]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.uint8]
Body: TypeAlias = Model | Placed
Mover: TypeAlias = Model | Placed | Moving
Poses: TypeAlias = Sequence[Pose] | ArrayLike
OnePose: TypeAlias = Pose | ArrayLike
Shape: TypeAlias = Mesh | Convex | Field | PointCloud | Literal["half-space"] | list[tuple[Pose, Any]]
Feature: TypeAlias = tuple[Literal["vertex", "edge", "face"], list[int]]

__version__: Final[str]
RELATIONS: Final[tuple[str, ...]]
LOCATIONS: Final[tuple[str, ...]]
IMPACTS: Final[tuple[str, ...]]

class FileError(ValueError):
    """A file cannot be read, or its content is invalid."""

class UndecidedError(RuntimeError):
    """No verdict is proven: the budget ran out, or a field is neither provably in collision nor provably separated."""

class InternalError(RuntimeError):
    """A defect of the library; please report it with the message."""

@final
class Pose:
    """A rigid pose: a rotation by a quaternion, then a translation."""

    def __new__(
        cls, translation: ArrayLike | None = None, rotation: ArrayLike | None = None, *, quat: Quat | None = None
    ) -> Pose: ...
    @staticmethod
    def from_matrix(value: ArrayLike) -> Pose:
        """Creates a pose from a homogeneous 4×4 matrix."""
    @staticmethod
    def from_axis_angle(axis: ArrayLike, angle_rad: float, translation: ArrayLike | None = None) -> Pose:
        """Creates a rotation by an angle in radians about an axis through the origin, followed by a translation."""
    @property
    def translation(self) -> Floats:
        """Position of the origin."""
    @property
    def wxyz(self) -> Floats:
        """The quaternion, its real part first, as it was given."""
    @property
    def xyzw(self) -> Floats:
        """The quaternion, its real part last, as it was given."""
    @property
    def matrix(self) -> Floats:
        """The homogeneous matrix, rounded."""
    def inverse(self) -> Pose:
        """Returns the inverse pose, rounded."""
    def apply(self, value: ArrayLike) -> Floats:
        """Transforms points `(n, 3)` or one point `(3,)`, rounded."""
    def __mul__(self, value: Pose, /) -> Pose: ...
    def __rmul__(self, value: Pose, /) -> Pose: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Mesh:
    """Vertices and triangles: the solid that they bound if they are closed, else a surface; `solid` declares which."""

    def __new__(cls, vertices: ArrayLike, faces: ArrayLike, *, solid: bool | None = None, weld: bool = False) -> Mesh: ...
    @staticmethod
    def from_trimesh(mesh: Any, *, solid: bool | None = None, weld: bool = False) -> Mesh:
        """Creates a mesh from an object with `vertices` and `faces`, such as a `trimesh.Trimesh`."""
    @staticmethod
    def read(path: Path, *, solid: bool | None = None, weld: bool | None = None) -> Mesh:
        """Reads a file: OBJ, STL, PLY, OFF, glTF or DXF."""
    def write(self, path: Path) -> None:
        """Writes a file, in the format that its extension names."""
    def convex_decomposition(
        self, *, error: float | None = None, pieces: int | None = None
    ) -> tuple[list[Mesh], Bracket]:
        """Computes convex parts whose union encloses the solid, and the distance by which they extend beyond it."""
    @staticmethod
    def cuboid(size: ArrayLike) -> Mesh:
        """Creates a box centred at the origin, with these full edge lengths."""
    @staticmethod
    def sphere(radius: float, cuts: int = 4) -> Mesh:
        """Creates a sphere centred at the origin: an icosahedron whose edges are cut `cuts` times."""
    @staticmethod
    def ellipsoid(radii: ArrayLike, cuts: int = 4) -> Mesh:
        """Creates an ellipsoid centred at the origin, meshed like `sphere`."""
    @staticmethod
    def cylinder(height: float, radius: float, slices: int = 32) -> Mesh:
        """Creates a cylinder along z, centred at the origin."""
    @staticmethod
    def cone(height: float, radius: float, slices: int = 32) -> Mesh:
        """Creates a cone along z, its tip up, centred at the origin."""
    @staticmethod
    def torus(major: float, minor: float, around: int = 32, along: int = 16) -> Mesh:
        """Creates a torus around z: `major` is the radius of the ring, `minor` that of its tube."""
    @staticmethod
    def tetrahedron() -> Mesh:
        """Creates a tetrahedron with its vertices at four vertices of a cube."""
    @property
    def vertices(self) -> Floats:
        """Positions of the vertices, `(n, 3)`; a new array each time."""
    @property
    def faces(self) -> NDArray[np.uint32]:
        """Triangles, `(m, 3)` vertex numbers; a new array each time."""
    def solid(self) -> Mesh:
        """Returns the solid that the triangles bound."""
    def surface(self) -> Mesh:
        """Returns the triangles as a surface."""
    @property
    def is_solid(self) -> bool:
        """`True` if it is interpreted as the solid that its triangles bound."""
    @property
    def is_closed(self) -> bool:
        """`True` if every edge has a face on either side; coincident vertices count as one."""
    @property
    def volume(self) -> float:
        """Enclosed volume, rounded; negative if the triangles face inwards."""
    @property
    def bounds(self) -> Floats:
        """Bounding box: its lowest and highest vertex, `(2, 3)`."""
    def scaled(self, factor: float) -> Mesh:
        """Returns the mesh with every coordinate multiplied by a positive factor."""
    def __len__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Convex:
    """A convex body without triangles."""

    @staticmethod
    def sphere(radius: float) -> Convex:
        """Creates a sphere centred at the origin."""
    @staticmethod
    def cuboid(size: ArrayLike) -> Convex:
        """Creates a box centred at the origin, with these full edge lengths."""
    @staticmethod
    def capsule(length_of_core: float, radius: float) -> Convex:
        """Creates a capsule: all points within `radius` of a segment along z of this length, centred at the origin."""
    @staticmethod
    def cylinder(height: float, radius: float) -> Convex:
        """Creates a cylinder along z, centred at the origin."""
    @staticmethod
    def cone(height: float, radius: float) -> Convex:
        """Creates a cone along z, its tip up, centred at the origin."""
    @staticmethod
    def ellipsoid(radii: ArrayLike) -> Convex:
        """Creates an ellipsoid with these radii along the axes."""
    @staticmethod
    def hull(points: ArrayLike) -> Convex:
        """Computes the convex hull of points `(n, 3)`."""
    def rounded(self, radius: float) -> Convex:
        """Returns the body of all points within `radius` of it."""
    @property
    def bounds(self) -> Floats:
        """Bounding box: its lowest and highest vertex, `(2, 3)`."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Field:
    """The solid of a formula in x, y and z, such as `torus(2, 0.5)` or `x^2 + y^2 + z^2 <= 1`."""

    def __new__(cls, formula: str, *, bounds: ArrayLike | None = None) -> Field: ...
    @property
    def formula(self) -> str:
        """The formula as it was given."""

@final
class PointCloud:
    """Points `(n, 3)` of a sensor, each with a sphere of `radius` around it: one number, or `(n,)` for one each."""

    def __new__(cls, points: ArrayLike, *, radius: ArrayLike, strict: bool = False) -> PointCloud: ...
    @staticmethod
    def read(path: Path, *, radius: float | None = None) -> PointCloud:
        """Reads a file: PCD, PLY, XYZ, NPY, or the camera file of a depth image; its radii if none is given."""
    def write(self, path: Path) -> None:
        """Writes the points without their radii to a file, in the format that its extension names."""
    def thinned(self, distance: float) -> PointCloud:
        """Returns fewer points with a larger radius that cover this cloud."""
    @property
    def points(self) -> Floats:
        """Positions, `(n, 3)`; a new array each time."""
    @property
    def radius(self) -> float:
        """Radius around every point; the largest where they differ."""
    @property
    def radii(self) -> Floats:
        """Radius of each point, `(n,)`; a new array each time."""
    @property
    def dropped(self) -> int:
        """Number of points that were dropped because a coordinate is not finite."""
    @property
    def bounds(self) -> Floats:
        """Bounding box of all spheres: its lowest and highest vertex, `(2, 3)`."""
    def __len__(self) -> int: ...

@final
class CurvedBody:
    """A body of a STEP file with its curved surfaces as they are; lengths are in millimetres."""

    @staticmethod
    def read(path: Path) -> list[CurvedBody]:
        """Reads all bodies of a STEP file (AP203, AP214, AP242), placed as in its assembly."""
    @staticmethod
    def cylinder(radius: float, height: float) -> CurvedBody:
        """Creates a cylinder about z from 0 to `height`."""
    @staticmethod
    def bush(inner: float, outer: float, height: float) -> CurvedBody:
        """Creates a hollow cylinder about z from 0 to `height`, with a hole of radius `inner`."""
    @staticmethod
    def sphere(radius: float) -> CurvedBody:
        """Creates a sphere about the origin."""
    @staticmethod
    def block(size: Sequence[float]) -> CurvedBody:
        """Creates a block from the origin to `size`."""
    @property
    def name(self) -> str:
        """Its name: those of its assemblies and its own, joined by `/`."""
    @property
    def pose(self) -> Pose:
        """Its pose: that in the assembly of its file."""
    @property
    def faces(self) -> list[str]:
        """Names of its faces: those of the file, or kind and number."""
    @property
    def is_solid(self) -> bool:
        """`True` if its faces bound a solid."""
    @property
    def uncertainty(self) -> float:
        """The uncertainty that its file states."""
    @property
    def bounds(self) -> Floats:
        """Bounding box in its own frame: its lowest and highest vertex, `(2, 3)`."""
    def at(self, pose: OnePose) -> CurvedBody:
        """Returns the same body at another pose: a `Pose` or a matrix `(4, 4)`."""
    def relation(
        self,
        other: CurvedBody,
        *,
        tolerance: float | None = None,
        precision: float | None = None,
        budget: int = 200000,
    ) -> CurvedRelation:
        """Computes the relation of two bodies on their curved surfaces."""

@final
class CurvedRelation:
    """The relation of two bodies on their curved surfaces, with the numbers behind it."""

    @property
    def relation(self) -> str:
        """The word: "separated", "touching", "intersecting" or "inside"."""
    @property
    def certain(self) -> bool:
        """`False` if the budget did not suffice: "touching" then means touching or intersecting."""
    @property
    def within(self) -> float:
        """Length within which surfaces count as touching."""
    @property
    def clearance(self) -> Bracket:
        """The clearance; zero if they overlap."""
    @property
    def interference(self) -> Bracket | None:
        """Depth of the deepest point of one surface in the other solid, if they intersect."""
    @property
    def faces(self) -> tuple[str, str] | None:
        """Names of the faces that touch, intersect or are closest, where known."""
    @property
    def points(self) -> Floats | None:
        """Points of these faces, `(2, 3)`, about as close as the clearance."""
    @property
    def fits(self) -> list[tuple[str, str, float]]:
        """Faces with parallel axes that enclose each other, the least clearance first: both names, radial clearance."""

@final
class Model:
    """A shape prepared for queries: create it once and query it often."""

    def __new__(cls, shape: Any, *, threads: int | None = None) -> Model: ...
    @property
    def shape(self) -> Shape:
        """The shape from which it was created."""
    @property
    def bounds(self) -> Floats:
        """Bounding box: its lowest and highest vertex, `(2, 3)`."""
    @property
    def nbytes(self) -> int:
        """Memory of its tree and its mesh, in bytes."""
    def at(self, pose: OnePose) -> Placed:
        """Places the model at a pose: a `Pose` or a matrix `(4, 4)`."""
    def moving(self, motion: Motion) -> Moving:
        """Pairs the model with a motion."""
    def guarantee(self, other: Model) -> Guarantee:
        """Returns the guarantee of verdicts about two models."""
    def refit(self, vertices: ArrayLike) -> Model:
        """Returns a model of the same faces with other vertices `(n, 3)`; faster than a new model."""

@final
class Placed:
    """A model at a pose, created by `Model.at`."""

    @property
    def model(self) -> Model:
        """The placed model."""
    @property
    def pose(self) -> Pose:
        """Its pose."""

@final
class Motion:
    """Motion of a body while time goes from 0 to 1."""

    @staticmethod
    def still(pose: OnePose) -> Motion:
        """Creates a motion that rests at a pose."""
    @staticmethod
    def between(start: OnePose, end: OnePose, *, pivot: ArrayLike | None = None) -> Motion:
        """Creates a motion from one pose to another; the pivot moves in a straight line."""
    @staticmethod
    def screw(start: OnePose, point: ArrayLike, axis: ArrayLike, angle_rad: float, advance: float = 0.0) -> Motion:
        """Creates a screw motion: a rotation about an axis through a point of the world, and an advance along it."""
    @staticmethod
    def velocities(
        start: OnePose, linear: ArrayLike, angular: ArrayLike | None = None, *, pivot: ArrayLike | None = None
    ) -> Motion:
        """Creates a motion with constant velocities: `linear` of the pivot, `angular` in radians."""
    @staticmethod
    def keyframes(
        times: ArrayLike, poses: Poses, *, quat: Quat | None = None, pivot: ArrayLike | None = None
    ) -> Motion:
        """Creates a motion that interpolates poses at increasing times from 0 to 1."""
    def pose(self, t: float) -> Pose:
        """Returns the pose at a time."""

@final
class Moving:
    """A model in motion, created by `Model.moving`."""

    def at(self, t: float) -> Placed:
        """Returns the model at its pose at a time."""

@final
class Bracket:
    """Two bounds of a true value."""

    def __new__(cls, at_least: float, at_most: float) -> Bracket: ...
    @property
    def at_least(self) -> float:
        """Not less than this."""
    @property
    def at_most(self) -> float:
        """Not more than this; infinite if there is no upper bound."""
    def __contains__(self, key: float, /) -> bool: ...
    def __getnewargs__(self) -> tuple[float, float]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Clearance:
    """Distance of two bodies, with witness points."""

    @property
    def at_least(self) -> float:
        """No two points of the bodies are closer."""
    @property
    def at_most(self) -> float:
        """Some two points are this close; infinite where none were found."""
    @property
    def on_a(self) -> Floats | None:
        """The nearest point of A in the world."""
    @property
    def on_b(self) -> Floats | None:
        """The nearest point of B in the world."""
    @property
    def feature_a(self) -> Feature | None:
        """Feature of the mesh A on which the point lies."""
    @property
    def feature_b(self) -> Feature | None:
        """Feature of the mesh B on which the point lies."""
    @property
    def guarantee(self) -> Guarantee:
        """Guarantee of the distinction between a positive clearance and none."""

@final
class Contact:
    """A contact of two bodies: a point of each, the normal and the penetration depth."""

    @property
    def on_a(self) -> Floats:
        """A point of A's surface in B."""
    @property
    def on_b(self) -> Floats:
        """A point of B's surface in A."""
    @property
    def normal(self) -> Floats:
        """Unit vector from A to B."""
    @property
    def depth(self) -> Bracket:
        """Penetration depth of the bodies."""
    @property
    def guarantee(self) -> Guarantee:
        """Guarantee of the overlap verdict."""

@final
class Intersections:
    """Pairs of intersecting triangles; one row for each."""

    @property
    def faces(self) -> NDArray[np.uint32]:
        """Rows of `Mesh.faces` of A and of B, `(k, 2)`."""
    @property
    def segments(self) -> Floats:
        """Both ends of the segment that the triangles share, in the world, rounded: `(k, 2, 3)`."""
    @property
    def through(self) -> Bools:
        """`True` if the triangles pass through each other; they only touch otherwise."""
    @property
    def complete(self) -> bool:
        """`True` if the list is complete."""
    def __len__(self) -> int: ...

@final
class Impact:
    """First contact of two moving bodies."""

    @property
    def kind(self) -> Literal["free", "at start", "at", "unknown"]:
        """Kind of the result: "free", "at start", "at" or "unknown"."""
    @property
    def is_hit(self) -> bool:
        """`True` if a contact was found."""
    @property
    def safe_until(self) -> float:
        """Nothing touches before; 1 if nothing touches at all."""
    @property
    def touching_by(self) -> float | None:
        """They touch by then; `None` if they do not, or if nothing is proven."""
    @property
    def on_a(self) -> Floats | None:
        """The nearest point of A then."""
    @property
    def on_b(self) -> Floats | None:
        """The nearest point of B then."""
    @property
    def normal(self) -> Floats | None:
        """Unit vector from A to B."""
    @property
    def proven(self) -> bool:
        """`True` if overlap is proven at `touching_by`; otherwise they are within the tolerance of it."""
    @property
    def parts(self) -> list[str] | None:
        """Names of the touching parts, for queries on robots or worlds."""

@final
class World:
    """Bodies that are queried together: colliding pairs, clearances of the others, and permitted motions."""

    def __new__(cls, *, margin: float = 0.0) -> World: ...
    def add(self, name: str, model: Model, pose: OnePose | None = None) -> None:
        """Adds a body at a pose."""
    def remove(self, name: str) -> None:
        """Removes a body."""
    def move_to(self, name: str, pose: OnePose) -> None:
        """Places a body, without testing for collisions."""
    def pose(self, name: str) -> Pose:
        """Returns the pose of a body."""
    @property
    def names(self) -> list[str]:
        """Names of the bodies, in the order they were added."""
    def exclude(self, a: str, b: str) -> None:
        """Disables pairs of an `a` and a `b`; `*` in a name matches any characters."""
    def set_margin(self, a: str, b: str, margin: float) -> None:
        """Sets the margin of pairs of an `a` and a `b`: they count as hits at a distance of at most `margin`."""
    def touching(self, *, threads: int | None = None) -> list[tuple[str, str]]:
        """Returns all pairs that collide, or are closer than their margin."""
    def check(self, *, all: bool = False, threads: int | None = None) -> list[PairResult]:
        """Returns the status of all pairs, the worst first."""
    def step(
        self, motions: dict[str, Motion], *, dry: bool = False, threads: int | None = None
    ) -> list[tuple[str, float, Impact | None]]:
        """Moves bodies, each by its own `Motion`, until something would touch."""
    def plan_removal(
        self,
        name: str,
        *,
        with_bodies: Sequence[str] = ...,
        without: Sequence[str] = ...,
        exit_distance: float = 0.0,
        maximize_clearance: bool = False,
        steps: int = 60_000,
        seed: int = 1,
        threads: int | None = None,
    ) -> RemovalResult:
        """Plans a removal path for a body, proven collision-free at all times, or proves that there is none."""
    def __len__(self) -> int: ...

@final
class Dynamics:
    """Rigid bodies under gravity, in seconds and any units of length and mass."""

    def __new__(cls, *, gravity: ArrayLike | None = None, step: float = ..., skin: float = 1e-4) -> Dynamics: ...
    def add(
        self,
        name: str,
        model: Model,
        pose: OnePose | None = None,
        *,
        mass: float | None = None,
        friction: float = 0.5,
        restitution: float = 0.0,
        velocity: ArrayLike | None = None,
        spin: ArrayLike | None = None,
    ) -> None:
        """Adds a falling body. Without `mass` its density is 1."""
    def add_fixed(
        self, name: str, model: Model, pose: OnePose | None = None, *, friction: float = 0.5, restitution: float = 0.0
    ) -> None:
        """Adds a fixed body."""
    def add_driven(
        self,
        name: str,
        model: Model,
        motion: Motion,
        seconds: float,
        *,
        friction: float = 0.5,
        restitution: float = 0.0,
    ) -> None:
        """Adds a body that follows a motion for so many seconds and then rests."""
    def exclude(self, a: str, b: str) -> None:
        """Disables the pair of two bodies: they pass through each other."""
    def advance(self, seconds: float) -> None:
        """Simulates so many seconds."""
    @property
    def time(self) -> float:
        """Simulated time, in seconds."""
    @property
    def names(self) -> list[str]:
        """Names of the bodies, in the order they were added."""
    def pose(self, name: str) -> Pose:
        """Returns the pose of a body."""
    def velocity(self, name: str) -> Floats:
        """Returns the velocity of a body's centre of mass."""
    def is_asleep(self, name: str) -> bool:
        """Returns `True` if a body rests and is skipped until it is touched."""
    def forces(self) -> list[tuple[str, str, Floats, Floats]]:
        """Returns the contact forces of the last step: `(a, b, point, force)` for each contact, with the force on B."""
    @property
    def energy(self) -> float:
        """Kinetic and potential energy of all movable bodies."""
    def summary(self) -> DynamicsSummary:
        """Returns the figures so far."""
    def __len__(self) -> int: ...

@final
class Robot:
    """A robot, alone or among other bodies; configurations are arrays `(n, dof)`, or `(dof,)` for one."""

    @staticmethod
    def from_urdf(
        path: Path,
        *,
        srdf: Path | None = None,
        packages: Sequence[Path] = ...,
        kind: Kind = "auto",
        visual: bool = False,
        pose: OnePose | None = None,
    ) -> Robot:
        """Reads a URDF file with the meshes it names, and an SRDF file."""
    @staticmethod
    def from_urdf_text(
        text: str,
        *,
        srdf: str | None = None,
        load_mesh: Callable[[str], Any] | None = None,
        kind: Kind = "auto",
        visual: bool = False,
        pose: OnePose | None = None,
    ) -> Robot:
        """Creates a robot from the text of a URDF file; `load_mesh` returns the mesh of a file name."""
    @staticmethod
    def from_dh(
        path: Path, *, packages: Sequence[Path] = ..., kind: Kind = "auto", pose: OnePose | None = None
    ) -> Robot:
        """Reads a table of Denavit-Hartenberg parameters (TOML)."""
    @staticmethod
    def puma560(*, pose: OnePose | None = None) -> Robot:
        """Creates the PUMA 560 with its links as primitives."""
    @property
    def name(self) -> str:
        """Name of the robot."""
    @property
    def dof(self) -> int:
        """Number of independent joints: the columns of configurations."""
    @property
    def joint_names(self) -> list[str]:
        """Names of the independent joints, in the order of the columns."""
    @property
    def all_joint_names(self) -> list[str]:
        """Names of all movable joints, mimic joints included."""
    @property
    def link_names(self) -> list[str]:
        """Names of the links, the root first."""
    @property
    def srdf(self) -> str | None:
        """Text of its SRDF; `None` without one."""
    @property
    def limits(self) -> Floats:
        """Joint limits, lower and upper, `(dof, 2)`; infinite for joints without a limit."""
    @property
    def neutral(self) -> Floats:
        """A configuration within the limits: 0 where permitted, else the middle of the range."""
    @property
    def warnings(self) -> list[str]:
        """Warnings about the files."""
    @overload
    def check(
        self, q: ArrayLike, *, out: Bools, threads: int | None = None, device: Device | None = None
    ) -> Bools:
        """Tests configurations `(n, dof)` for collision, into `out`."""
    @overload
    def check(
        self, q: ArrayLike, *, out: None = None, threads: int | None = None, device: Device | None = None
    ) -> bool | Bools:
        """Tests configurations for collision: one bool for `(dof,)`, an array for `(n, dof)`."""
    def _check_joints(self, q: object, columns: tuple[int, ...], default: Floats) -> bool | None:
        """Tests one configuration of some joints, the others at `default`; `None` for input that `check` takes."""
    def colliding_pairs(self, q: ArrayLike) -> list[list[str]]:
        """Returns all pairs that collide in one configuration, by name."""
    @overload
    def clearance(self, q: ArrayLike, *, out: tuple[Floats, Floats], threads: int | None = None) -> Brackets:
        """Computes the smallest clearance of all checked pairs for `(n, dof)`, into `out`."""
    @overload
    def clearance(
        self, q: ArrayLike, *, out: None = None, threads: int | None = None
    ) -> tuple[Clearance, list[str] | None] | Brackets:
        """Computes the smallest clearance of all checked pairs; for `(dof,)` also the names of the nearest pair."""
    def check_path(self, q: ArrayLike) -> Impact:
        """Computes the first contact on the piecewise linear path through configurations, proven between samples."""
    def check_edge(self, start: ArrayLike, end: ArrayLike) -> Impact:
        """Computes the first contact on the straight segment between two configurations, as `check_path`."""
    def check_edges(
        self, start: ArrayLike, end: ArrayLike, *, out: Bools | None = None, threads: int | None = None
    ) -> Bools:
        """Tests many segments for collision, `(n, dof)` to `(n, dof)`."""
    def pairs(
        self,
        *,
        samples: int = 20_000,
        cells: int = 200_000,
        every: bool = False,
        assume: dict[str, tuple[float, float]] | None = None,
        threads: int | None = None,
    ) -> list[tuple[str, str, str, Floats | None]]:
        """Determines the pairs that can collide within the limits, by proof: `(a, b, word, witness)`.

        The word is "never", "always", "can" or "undecided". A claim that rests on an assumed range says so:
        "never within rail in [-2, 3]"."""
    def disabled_pairs(self) -> list[tuple[str, str, str]]:
        """Returns the disabled pairs (the allowed collision matrix) as `(a, b, reason)`."""
    def ik(
        self, pose: OnePose, *, link: str | None = None, near: ArrayLike | None = None, seed: int = 1
    ) -> Floats:
        """Solves inverse kinematics: configurations `(k, dof)` within limits, the nearest to `near` first."""
    def plan(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        *,
        steps: int = 400_000,
        seed: int = 1,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> Floats | None:
        """Plans a path between two configurations, proven collision-free at all times; `None` if none was found."""
    def link_poses(self, q: ArrayLike) -> Floats:
        """Computes the link poses in the frame of the root: matrices `(links, 4, 4)`, or `(n, links, 4, 4)`."""
    @property
    def pair_names(self) -> list[list[str]]:
        """Names of the two parts of every pair, by the numbers of `nearest` and `collisions`."""
    @property
    def groups(self) -> dict[str, list[str]]:
        """Planning groups of the SRDF: for each name the independent joints, from the root outwards."""
    def jacobian(self, q: ArrayLike, link: str | None = None, point: Sequence[float] | None = None) -> Floats:
        """Computes the Jacobian of a point on a link in the world: `(6, dof)`, linear velocity first."""
    def nearest(self, q: ArrayLike, *, threads: int | None = None) -> dict[str, Any]:
        """Computes the nearest pairs, points and gradients of the clearance for `(n, dof)`, as a dict of arrays."""
    def collisions(self, q: ArrayLike) -> dict[str, Any]:
        """Computes all colliding pairs of `(n, dof)` with a common point of each, as a dict of arrays."""
    def with_body(self, name: str, model: Model, pose: OnePose | None = None) -> Robot:
        """Returns the robot with an added fixed obstacle."""
    def with_replaced(self, name: str, model: Model, pose: OnePose | None = None) -> Robot:
        """Returns the robot with the shape and pose of an obstacle replaced; nothing else is prepared again."""
    def with_carried(
        self, link: str, name: str, model: Model, pose: OnePose | None = None, *, may_touch: Sequence[str] = ...
    ) -> Robot:
        """Returns the robot with an object attached to a link; it may touch the parts in `may_touch`."""
    def disable_pair(self, a: str, b: str) -> Robot:
        """Returns the robot with this pair disabled: added to its allowed collision matrix."""
    def with_margin(self, a: str, b: str, margin: float) -> Robot:
        """Returns the robot with this pair checked; it counts as colliding within `margin`."""
    def with_padding(self, name: str, margin: float) -> Robot:
        """Returns the robot with padding about one link or body, added to the margins of all its pairs."""

@final
class Trajectory:
    """A motion of a robot over time, in seconds, as controllers interpolate it."""

    def __new__(
        cls,
        robot: Robot,
        times: Sequence[float] | Floats,
        positions: ArrayLike,
        velocities: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
    ) -> Trajectory: ...
    @staticmethod
    def spline(
        robot: Robot,
        times: Sequence[float] | Floats,
        positions: ArrayLike,
        velocities: ArrayLike | None = None,
    ) -> Trajectory:
        """Returns the cubic spline through positions, with continuous accelerations and `velocities` at both ends."""
    @staticmethod
    def b_spline(
        robot: Robot,
        control_points: ArrayLike,
        *,
        degree: int = 3,
        knots: Sequence[float] | Floats | None = None,
        duration: float | None = None,
    ) -> Trajectory:
        """Returns the B-spline of control points by knots in seconds, or by even ones over a duration."""
    @staticmethod
    def straight(
        robot: Robot,
        path: ArrayLike,
        *,
        profile: Literal["trapezoidal", "s-curve"] = "trapezoidal",
        velocity: float | ArrayLike | None = None,
        acceleration: float | ArrayLike | None = None,
        jerk: float | ArrayLike | None = None,
    ) -> Trajectory:
        """Returns the quickest motion along a path, straight in joint space and at rest at each configuration."""
    @staticmethod
    def read(robot: Robot, path: Path) -> Trajectory:
        """Reads a trajectory file as `noli robot check --trajectory` does."""
    @property
    def duration(self) -> float:
        """Duration in seconds."""
    @property
    def times(self) -> Floats:
        """Times between which every joint is a polynomial, in seconds."""
    @property
    def positions(self) -> Floats:
        """Positions at `times`, `(k, dof)`."""
    @property
    def velocities(self) -> Floats:
        """Velocities at `times`, `(k, dof)`."""
    @property
    def accelerations(self) -> Floats:
        """Accelerations at `times`, `(k, dof)`; at a jump that of the later segment."""
    def position(self, time: float) -> Floats:
        """Returns the configuration at a time."""
    def velocity(self, time: float) -> Floats:
        """Returns the velocity at a time."""
    def acceleration(self, time: float) -> Floats:
        """Returns the acceleration at a time."""
    def is_free(
        self, *, tracking_error: float = 0.0, tool_deviation: float = 0.0, tool: str | None = None
    ) -> bool:
        """Returns `True` if the motion is collision-free at every moment, by proof, also within deviations."""
    def first_contact(self) -> Impact:
        """Computes the first contact; times are shares of the duration."""
    def swept_volume(
        self, *, error: float = 0.02, cells: int = 4_000_000, threads: int | None = None
    ) -> tuple[Mesh, Mesh | None]:
        """Computes the volume that the robot sweeps: a closed mesh that encloses it, and one within it."""

@final
class Certificate:
    """A proof of collision statements, which `noli.verify` and programs without code of noli check."""

    @property
    def statements(self) -> list[dict[str, Any]]:
        """Its statements: `title`, `claim`, `pairs`, `disabled`, `clearance` and `complete`."""
    @property
    def unproven(self) -> list[tuple[str, str]]:
        """Statements without a proof, as pairs of a title and the reason."""
    def write(self, path: Path) -> None:
        """Writes the certificate to a file, compressed."""
    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...

@final
class Verification:
    """The verdict of the independent checker on a certificate; true if it is valid."""

    @property
    def verdict(self) -> Literal["valid", "invalid", "unreadable"]:
        """The verdict."""
    @property
    def error(self) -> str | None:
        """The code and the text of the first fault; `None` if the certificate is valid."""
    @property
    def statements(self) -> list[dict[str, Any]]:
        """Proven statements: `title`, `claim`, `over`, `pairs`, `disabled` and `clearance_at_least`."""
    @property
    def sources(self) -> dict[str, str]:
        """State of each source file compared with `files`."""
    @property
    def not_compared(self) -> list[str] | None:
        """What was not compared with the description of the robot; `None` without `urdf`."""
    def __bool__(self) -> bool: ...

@final
class Campaign:
    """A plan with its models, ready to be run; see `noli.campaign`."""

    def __new__(cls, path: Path, text: str | None = None, *, device: Device | None = None) -> Campaign: ...
    @property
    def name(self) -> str:
        """Name of the campaign."""
    @property
    def question(self) -> Literal["overlap", "clearance", "impact"]:
        """Query of the campaign: "overlap", "clearance" or "impact"."""
    @property
    def seed(self) -> int:
        """Seed of the draws."""
    @property
    def count(self) -> int:
        """Number of draws."""
    @property
    def chunk(self) -> int:
        """Number of draws in a chunk."""
    @property
    def chunks(self) -> int:
        """Number of chunks."""
    @property
    def fingerprints(self) -> tuple[str, str]:
        """Fingerprints of the plan and of the models."""
    def draw(self, index: int) -> Floats:
        """Returns one draw by its number."""
    def run(self, chunk: int, *, threads: int | None = None) -> tuple[bytes, bytes | None]:
        """Returns the shard of a chunk as the bytes of a Parquet file, and its rows likewise or `None`."""
    def missing(self, out: Path) -> list[int]:
        """Returns the chunks that have no shard of this campaign in a folder."""
    def keep(self, out: Path, chunk: int, shard: bytes, rows: bytes | None = None) -> None:
        """Writes the result of `run` into a folder."""
    def merge(self, out: Path, partial: bool = False) -> str:
        """Returns the merged result of the shards in a folder, as JSON. Missing or unreadable shards are an error unless
        `partial` is set; then `left_out` names them."""

@overload
def overlap(a: Body, b: Body, poses: Pose | None = None, *, unknown: bool | None = None) -> bool:
    """Returns `True` if the bodies share a point. Touching counts."""

@overload
def overlap(
    a: Body,
    b: Body,
    poses: Poses,
    *,
    quat: Quat | None = None,
    out: Bools | None = None,
    threads: int | None = None,
    unknown: bool | None = None,
    device: Device | None = None,
) -> Bools:
    """Tests for every pose of `b` if the bodies share a point."""

@overload
def within_distance(
    a: Body, b: Body, margin: float, poses: Pose | None = None, *, unknown: bool | None = None
) -> bool:
    """Returns `True` if the distance of the bodies is at most `margin`."""

@overload
def within_distance(
    a: Body,
    b: Body,
    margin: float,
    poses: Poses,
    *,
    quat: Quat | None = None,
    out: Bools | None = None,
    threads: int | None = None,
    unknown: bool | None = None,
    device: Device | None = None,
) -> Bools:
    """Tests for every pose of `b` if the distance of the bodies is at most `margin`."""

@overload
def relation(a: Body, b: Body, poses: Pose | None = None) -> RelationWord:
    """Returns the relation of the bodies: "separated", "touching", "intersecting", "inside" or "unknown"."""

@overload
def relation(
    a: Body,
    b: Body,
    poses: Poses,
    *,
    quat: Quat | None = None,
    out: Codes | None = None,
    threads: int | None = None,
) -> Codes:
    """Returns the relation for every pose of `b`, as codes of `noli.Relation`."""

@overload
def clearance(
    a: Body, b: Body, poses: Pose | None = None, *, max_distance: float = ..., tolerance: float = 0.0
) -> Clearance:
    """Computes the distance of the bodies; 0 where they overlap."""

@overload
def clearance(
    a: Body,
    b: Body,
    poses: Poses,
    *,
    quat: Quat | None = None,
    max_distance: float = ...,
    tolerance: float = 0.0,
    witness: bool = False,
    out: tuple[Floats, Floats] | None = None,
    threads: int | None = None,
) -> Clearances:
    """Computes the distance of the bodies for every pose of `b`; `witness=True` adds the nearest points."""

def contact(a: Body, b: Body, pose: OnePose | None = None) -> Contact | None:
    """Computes the contact point and penetration depth of the bodies; `None` if they do not overlap."""

def manifold(a: Body, b: Body, pose: OnePose | None = None) -> list[Contact]:
    """Computes the contact manifold: up to four contacts that share a normal, the deepest first."""

@overload
def depth(a: Body, b: Body, poses: Pose | None = None) -> Bracket:
    """Computes the penetration depth; 0 where the bodies do not overlap."""

@overload
def depth(
    a: Body,
    b: Body,
    poses: Poses,
    *,
    quat: Quat | None = None,
    out: tuple[Floats, Floats] | None = None,
    threads: int | None = None,
) -> Brackets:
    """Computes the penetration depth for every pose of `b`."""

def contacts(a: Body, b: Body, within: float, pose: OnePose | None = None) -> Contacts:
    """Computes near contacts: every vertex near a face and every edge near an edge, within a distance."""

def penetration(
    a: Body, b: Body, pose: OnePose | None = None, *, exact: bool = False
) -> tuple[Bracket, Floats | None]:
    """Computes the minimal translation after which the bodies share no volume: its length and direction."""

def penetration_along(a: Body, b: Body, direction: ArrayLike, pose: OnePose | None = None) -> Bracket:
    """Computes the distance B must move along a direction until it first shares no volume with A."""

def points_within(cloud: Placed, body: Placed, *, margin: float = 0.0) -> NDArray[np.uint32]:
    """Returns the numbers of the points of a placed cloud within `margin` of a placed body, in ascending order."""

def overlap_volume(a: Body, b: Body, pose: OnePose | None = None, *, exact: bool = False) -> Bracket:
    """Computes the volume that the bodies share."""

def intersections(a: Body, b: Body, pose: OnePose | None = None) -> Intersections:
    """Computes the intersecting triangles of the bodies, and their intersections."""

def self_intersections(model: Model) -> Intersections:
    """Computes the self-intersecting triangles of one mesh."""

@overload
def locate_point(body: Body, points: ArrayLike, *, out: Codes, threads: int | None = None) -> Codes:
    """Returns the locations of points `(n, 3)` as codes of `noli.Location`, into `out`."""

@overload
def locate_point(
    body: Body, points: ArrayLike, *, out: None = None, threads: int | None = None
) -> LocationWord | Codes:
    """Returns the location of a point `(3,)`, or the codes of `noli.Location` of points `(n, 3)`."""

def ray_cast(
    body: Body, origin: ArrayLike, direction: ArrayLike
) -> list[tuple[float, int | None, Literal["front", "back", "grazing"]]]:
    """Computes the intersections of a ray, in order, as `(t, triangle, side)`."""

@overload
def time_of_impact(
    a: Mover,
    b: Mover,
    start: Pose | None = None,
    end: Pose | None = None,
    *,
    margin: float = 0.0,
    tolerance: float | None = None,
) -> Impact:
    """Computes the first contact of the bodies, while time goes from 0 to 1."""

@overload
def time_of_impact(
    a: Mover,
    b: Model,
    start: Poses,
    end: Poses,
    *,
    quat: Quat | None = None,
    margin: float = 0.0,
    tolerance: float | None = None,
    out: tuple[Floats, Floats] | None = None,
    threads: int | None = None,
) -> Impacts:
    """Computes the first contact for every row of start and end poses of `b`."""

def contact_intervals(
    a: Mover, b: Mover, resolution: float = 0.001, *, margin: float = 0.0, tolerance: float | None = None
) -> list[tuple[float, float, float]]:
    """Computes all contact intervals of the moving bodies as `(safe_until, touching_by, ends_by)`, in order."""

def closest_approach(a: Mover, b: Mover, *, accuracy: float = 0.01) -> tuple[Clearance, float]:
    """Computes the closest approach of the moving bodies, and its time."""

def clearance_profile(a: Mover, b: Mover, samples: int = 200, *, threads: int | None = None) -> Profile:
    """Computes the clearance along a motion at equally spaced times."""

@final
class SweptVolume:
    """The volume that bodies sweep, created by `noli.swept_volume`."""

    @property
    def outer(self) -> Mesh:
        """Closed mesh that encloses every body at every moment."""
    @property
    def inner(self) -> Mesh | None:
        """Closed mesh within the swept volume; `None` if no cell is proven inside, as for thin bodies."""
    @property
    def error(self) -> float:
        """No point of the outer mesh is farther from the swept volume."""
    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound on the volume, proven."""
    def boxes(self, most: int) -> list[tuple[list[float], list[float]]]:
        """Returns at most `most` boxes that enclose the outer mesh, as pairs of lowest and highest vertex."""

def swept_volume(
    bodies: Moving | Sequence[Moving],
    *,
    error: float,
    deviation: float = 0.0,
    cells: int = 20_000_000,
    threads: int | None = None,
) -> SweptVolume:
    """Computes the volume that bodies sweep while time goes from 0 to 1: one `Moving`, or several."""

def prove_pair(
    a: Model,
    b: Model,
    pose_b: OnePose | None = None,
    pose_a: OnePose | None = None,
    *,
    clearance: float = 0.0,
    names: tuple[str, str] = ...,
    units: str = "",
) -> Certificate:
    """Proves that two models are separated by more than `clearance`, or that they collide; `units` is for readers."""

def prove_path(robot: Robot, q: ArrayLike, *, each: bool = False) -> Certificate:
    """Proves that a robot path is collision-free at every instant; with `each`, only its configurations."""

def prove_pairs(robot: Robot, *, cells: int = 400_000, threads: int | None = None) -> Certificate:
    """Proves which pairs of links never collide, always collide, or can collide within the joint limits."""

def prove_removal(
    world: World,
    name: str,
    poses: Poses,
    *,
    with_bodies: Sequence[str] = ...,
    without: Sequence[str] = ...,
    quat: Quat | None = None,
) -> Certificate:
    """Proves that a removal path of `World.plan_removal` is collision-free at every instant."""

def verify(
    certificate: Certificate | bytes | Path,
    *,
    files: Path | None = None,
    urdf: Path | None = None,
    threads: int = 0,
    exact: bool = False,
) -> Verification:
    """Checks a certificate with the independent checker."""

def demos() -> list[str]:
    """Returns the names of the scenes and assemblies that come with noli, for `noli.check(demo=...)`."""

def drive(
    robot: Robot,
    path: ArrayLike,
    *,
    blend: float = 0.0,
    blend_shape: Literal["smooth", "circular"] = "smooth",
    acceleration: float | None = None,
    jerk: float | None = None,
    tracking_error: float = 0.0,
    tool_deviation: float = 0.0,
    tool: str | None = None,
) -> Trajectory:
    """Blends and times a path `(k, dof)` within the limits of the joints, proven collision-free as driven."""

def plan_to_pose(
    robot: Robot,
    start: ArrayLike,
    pose: OnePose,
    *,
    link: str | None = None,
    position_tolerance: float = 0.0,
    angle_tolerance: float | ArrayLike | None = None,
    group: str | None = None,
    upright: float | None = None,
    steps: int = 400_000,
    seed: int = 1,
    threads: int | None = None,
    time_limit: float | None = None,
) -> Floats | None:
    """Plans a path that ends with a link at a pose, within tolerances; `None` if none was found."""

def follow_path(
    robot: Robot,
    start: ArrayLike,
    moves: Sequence[tuple[Any, ...]],
    *,
    link: str | None = None,
    tolerance: float = 1e-4,
    radius: float = 0.0,
    speed: float = 0.25,
) -> tuple[Trajectory, float]:
    """Follows lines and arcs of a link with blends: a trajectory, and the largest path error, proven, in metres."""

def _coordinate(
    paths: Sequence[Path | Trajectory], start: Sequence[float], margin: float, depth: int, threads: int | None
) -> str: ...

def _run_programs(cells: Sequence[Path], steps: int | None, seconds: float | None) -> str: ...

def _check(options: str, threads: int | None) -> str: ...
