"""Several robots: with any timing, and programs that run at once."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from . import _noli

__all__ = ["Coordination", "ProgramsRun", "coordinate", "run_programs"]

Path = str | os.PathLike[str]


class Coordination:
    """Result of `coordinate`. Its fields are those of `noli robot coordinate --json`, as plain Python data in `data`.

    Robots, motions and lines are counted from 1; times are in seconds, lengths in metres.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    @property
    def outcome(self) -> str:
        """As timed: "free" (proven), "touching" or "undecided"."""
        return str(self.data["outcome"])

    @property
    def robots(self) -> list[dict[str, Any]]:
        """The robots with their motions, start and duration."""
        found: list[dict[str, Any]] = self.data["robots"]
        return found

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """Every two robots: `robots`, `classification`, `as_timed`, `zones` and `blocked`."""
        found: list[dict[str, Any]] = self.data["pairs"]
        return found

    @property
    def collision(self) -> dict[str, Any] | None:
        """The earliest known collision as timed: `robots`, `time_s`, `links`, `motions`, `point`; `None` if there is none."""
        timed = [(pair["robots"], pair["as_timed"].get("collision")) for pair in self.pairs]
        found = [{"robots": robots, **hit} for robots, hit in timed if hit is not None]
        return min(found, key=lambda hit: float(hit["time_s"]), default=None)

    @property
    def waits(self) -> list[dict[str, Any]] | None:
        """Motions that wait for others; with them no timing collides and none is stuck. `None` if no order is proven."""
        found: list[dict[str, Any]] | None = self.data["waits"]
        return found

    @property
    def ordered_seconds(self) -> float | None:
        """Duration with the waits; `None` if no order is proven."""
        found: float | None = self.data["ordered_s"]
        return found

    @property
    def warnings(self) -> list[str]:
        """Warnings about the files."""
        found: list[str] = self.data["warnings"]
        return found

    def classification(self, a: int = 1, b: int = 2) -> str:
        """Returns "independent", "order-needed" or "no-order" for two robots."""
        for pair in self.pairs:
            if sorted(pair["robots"]) == sorted((a, b)):
                return str(pair["classification"])
        raise ValueError(f"robots {a} and {b}: no such pair; give two of 1 to {len(self.robots)}")

    def to_json(self) -> str:
        """Returns the result as JSON."""
        return json.dumps(self.data)

    def __repr__(self) -> str:
        pairs = ", ".join(f"{a}-{b} {pair['classification']}" for pair in self.pairs for a, b in [pair["robots"]])
        return f"<noli.Coordination of {len(self.robots)} robots: {pairs}; as timed {self.outcome}>"


def coordinate(
    *paths: Path | _noli.Trajectory,
    start: Sequence[float] | None = None,
    margin: float = 0.0,
    depth: int = 8,
    threads: int | None = None,
) -> Coordination:
    """Compares robots on their paths with any timing, in one world: independent, in need of an order, or without one.

    Each path is a cell with its program (TOML), which is run alone first, or a `Trajectory`, whose robot has its pose.
    A motion of a trajectory ends where all joints rest, or where the velocity jumps. `start` has a time for each robot, by
    default 0; `margin` is the minimum clearance between robots; `depth` is how often each axis of time is halved.
    Collisions of one robot alone are those of `Trajectory.is_free`.

    >>> import noli, numpy
    >>> ends = numpy.stack([numpy.zeros(6), numpy.full(6, 0.2)])
    >>> arms = [noli.Robot.puma560(pose=noli.Pose([x, 0, 0])) for x in (0, 4)]
    >>> noli.coordinate(*(noli.Trajectory(arm, [0.0, 1.0], ends) for arm in arms)).classification()
    'independent'
    """
    given = [path if isinstance(path, _noli.Trajectory) else os.fspath(path) for path in paths]
    times = [0.0] * len(given) if start is None else [float(time) for time in start]
    return Coordination(json.loads(_noli._coordinate(given, times, margin, depth, threads)))


class ProgramsRun:
    """Result of `run_programs`. Its fields are those of `noli robot run --with --json`, as plain Python data in `data`."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    @property
    def outcome(self) -> str:
        """Outcome: "free" (proven), "touching" or "undecided"."""
        return str(self.data["outcome"])

    @property
    def completed(self) -> bool:
        """`True` if all programs ran to their end."""
        return all(program["ended"] == "completed" for program in self.programs)

    @property
    def seconds(self) -> float:
        """Duration until the last program ended."""
        return float(self.data["seconds"])

    @property
    def collision(self) -> dict[str, Any] | None:
        """The first collision between robots: `robots`, `lines`, `links`, `safe_until_s`, `time_s`, `point`."""
        found: dict[str, Any] | None = self.data["collision"]
        return found

    @property
    def deadlock(self) -> list[dict[str, Any]]:
        """Programs that wait without end: `robot`, `line`, `text`, `signals` and `never_set`."""
        found: list[dict[str, Any]] = self.data["deadlock"]
        return found

    @property
    def programs(self) -> list[dict[str, Any]]:
        """Each program in its own cell, as `noli robot run --json` has it."""
        found: list[dict[str, Any]] = self.data["programs"]
        return found

    def to_json(self) -> str:
        """Returns the result as JSON."""
        return json.dumps(self.data)

    def __repr__(self) -> str:
        state = "deadlock" if self.deadlock else "completed" if self.completed else "stopped"
        return f"<noli.ProgramsRun of {len(self.programs)} programs: {self.outcome}, {state}, {self.seconds:.3f} s>"


def run_programs(*cells: Path, steps: int | None = None, seconds: float | None = None) -> ProgramsRun:
    """Runs the programs of two or more cells at once, and checks the robots against each other as timed, by proof.

    Programs wait for each other by signals, 1 ms after they are set. `steps` and `seconds` limit each program. A
    deadlock is no exception: see `ProgramsRun.deadlock`.
    """
    return ProgramsRun(json.loads(_noli._run_programs([os.fspath(cell) for cell in cells], steps, seconds)))
