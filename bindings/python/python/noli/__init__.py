"""Whether, where, when and how closely bodies meet, and how far each answer can be trusted.

>>> import noli, numpy
>>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
>>> noli.relation(cube, cube, noli.Pose([1, 0, 0]))  # a wall in common is no clash
'touching'
>>> round(noli.clearance(cube, cube, noli.Pose([1.25, 0, 0])).at_most, 9)
0.25
>>> poses = numpy.tile(numpy.eye(4), (1000, 1, 1))
>>> poses[:, 0, 3] = numpy.linspace(0, 2, 1000)
>>> int(noli.overlap(cube, cube, poses).sum())
500
"""

from ._noli import (
    IMPACTS,
    LOCATIONS,
    RELATIONS,
    Bracket,
    Clearance,
    Contact,
    Convex,
    Crossings,
    Field,
    FileError,
    Impact,
    Mesh,
    Model,
    Motion,
    Moving,
    Placed,
    Pose,
    Robot,
    Undecided,
    World,
    __version__,
    clearance,
    clearance_profile,
    closer_than,
    closest_approach,
    contact,
    contact_spans,
    crossings,
    demos,
    depth,
    locate,
    manifold,
    overlap,
    ray_hits,
    relation,
    self_crossings,
    time_of_impact,
)
from ._report import Report, check
from ._results import Brackets, Clearances, Impacts, Profile

__all__ = [
    "IMPACTS",
    "LOCATIONS",
    "RELATIONS",
    "Bracket",
    "Brackets",
    "Clearance",
    "Clearances",
    "Contact",
    "Convex",
    "Crossings",
    "Field",
    "FileError",
    "Impact",
    "Impacts",
    "Mesh",
    "Model",
    "Motion",
    "Moving",
    "Placed",
    "Pose",
    "Profile",
    "Report",
    "Robot",
    "Undecided",
    "World",
    "__version__",
    "check",
    "clearance",
    "clearance_profile",
    "closer_than",
    "closest_approach",
    "contact",
    "contact_spans",
    "crossings",
    "demos",
    "depth",
    "locate",
    "manifold",
    "overlap",
    "ray_hits",
    "relation",
    "self_crossings",
    "time_of_impact",
]
