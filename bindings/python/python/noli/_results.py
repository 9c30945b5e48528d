"""Results of batches: arrays under names, one row per query; and the types of other results."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._noli import Bracket

__all__ = [
    "Brackets",
    "Clearances",
    "Contacts",
    "DynamicsSummary",
    "Impacts",
    "Location",
    "PairResult",
    "Profile",
    "Relation",
    "RemovalResult",
]


class Relation(IntEnum):
    """Relation of two bodies, by the codes that batches of `noli.relation` return.

    >>> import noli
    >>> noli.Relation(2).word, noli.Relation.SEPARATED == 0
    ('intersecting', True)
    """

    SEPARATED = 0
    TOUCHING = 1
    INTERSECTING = 2
    INSIDE = 3
    UNKNOWN = 4

    @property
    def word(self) -> str:
        """The relation as `noli.relation` returns it for one pose."""
        return self.name.lower()


class Location(IntEnum):
    """Location of a point, by the codes that batches of `noli.locate_point` return.

    >>> import noli
    >>> noli.Location(1).word
    'on surface'
    """

    OUTSIDE = 0
    ON_SURFACE = 1
    INSIDE = 2
    UNKNOWN = 3

    @property
    def word(self) -> str:
        """The location as `noli.locate_point` returns it for one point."""
        return self.name.lower().replace("_", " ")


class Brackets(NamedTuple):
    """Two arrays that bound the true values."""

    at_least: NDArray[np.float64]
    at_most: NDArray[np.float64]


class Clearances(NamedTuple):
    """Clearances: no two points are closer than `at_least`; two are at distance `at_most` (infinite if none was found).

    `on_a` and `on_b` are the nearest points, `(n, 3)`, NaN if there are none; `None` unless requested.
    """

    at_least: NDArray[np.float64]
    at_most: NDArray[np.float64]
    on_a: NDArray[np.float64] | None = None
    on_b: NDArray[np.float64] | None = None


class Impacts(NamedTuple):
    """First contacts: none before `safe_until` (1 if free), one by `touching_by` (infinite if free or unknown).

    `kind` holds indices into `noli.IMPACTS`.
    """

    safe_until: NDArray[np.float64]
    touching_by: NDArray[np.float64]
    kind: NDArray[np.uint8]


class Contacts(NamedTuple):
    """Near contacts: points `(k, 3)`, unit normals from A to B `(k, 3)`, and clearances `(k,)`."""

    on_a: NDArray[np.float64]
    on_b: NDArray[np.float64]
    normal: NDArray[np.float64]
    clearance: NDArray[np.float64]


class PairResult(TypedDict):
    """Status of a pair of bodies, from `World.check`.

    `where` is a point of collision, or the midpoint of the clearance. `intersections` counts intersecting triangles.
    """

    a: str
    b: str
    relation: Literal["intersecting", "inside", "touching", "closer", "separated", "undecided"]
    hit: bool
    clearance: Bracket
    where: list[float] | None
    intersections: int | None


class RemovalResult(NamedTuple):
    """Result of removal planning: "found" and "blocked" are proven, "not-found" proves nothing.

    `poses` are `(k, 7)`, x, y, z and a quaternion `xyzw`. Between two of them the origin moves in a straight line and
    the body rotates by the shorter angle. `clearance` bounds the smallest one on the path. `blocked_by` names the
    blocking bodies if there is no path.
    """

    verdict: Literal["found", "blocked", "not-found"]
    how: str
    poses: NDArray[np.float64]
    length: float
    turned_rad: float
    clearance: Bracket | None
    blocked_by: list[str]
    steps: int


class DynamicsSummary(TypedDict):
    """Figures of a simulation, from `Dynamics.summary`."""

    penetrations: int
    time_lost: float
    pieces: int
    proofs: int
    impacts: int
    contacts_most: int


class Profile(NamedTuple):
    """Clearances along a motion, sampled."""

    times: NDArray[np.float64]
    at_least: NDArray[np.float64]
    at_most: NDArray[np.float64]

    def plot(self, axes: object = None) -> object:
        """Plots the clearance over time with matplotlib; returns the axes."""
        import matplotlib.pyplot as plt

        axes = plt.gca() if axes is None else axes
        axes.fill_between(self.times, self.at_least, self.at_most, alpha=0.4)  # type: ignore[attr-defined]
        axes.plot(self.times, self.at_most)  # type: ignore[attr-defined]
        axes.set_xlabel("time")  # type: ignore[attr-defined]
        axes.set_ylabel("clearance")  # type: ignore[attr-defined]
        axes.set_ylim(bottom=0)  # type: ignore[attr-defined]
        return axes
