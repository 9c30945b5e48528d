"""Checks of whole assemblies."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _noli

__all__ = ["Report", "check"]

Path = str | os.PathLike[str]


class Report:
    """Report of a check. Its fields are those of `noli check --json`, as plain Python data in `data`.

    >>> import noli
    >>> report = noli.check(demo="engine-bay")
    >>> report.outcome, report.summary["bodies"] == len(report.bodies), bool(report)
    ('touching', True, True)
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Reads a report written by `to_json` or by `noli check --json`."""
        return cls(json.loads(text))

    @property
    def source(self) -> str:
        """The checked scene, files or folders."""
        return str(self.data["source"])

    @property
    def outcome(self) -> str:
        """Outcome: "free", "touching" or "undecided"."""
        return str(self.data["outcome"])

    @property
    def units(self) -> str | None:
        """Unit of lengths; `None` if the files do not define it."""
        found: str | None = self.data["units"]
        return found

    @property
    def summary(self) -> dict[str, int]:
        """Counts of bodies, triangles and pairs, by status."""
        found: dict[str, int] = self.data["summary"]
        return found

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The checked bodies."""
        found: list[dict[str, Any]] = self.data["bodies"]
        return found

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """The checked pairs, the worst first."""
        found: list[dict[str, Any]] = self.data["pairs"]
        return found

    @property
    def hits(self) -> list[dict[str, Any]]:
        """The pairs that count: in collision, or closer than the margin."""
        return [pair for pair in self.pairs if pair["hit"]]

    @property
    def warnings(self) -> list[str]:
        """Warnings about the files."""
        found: list[str] = self.data["warnings"]
        return found

    def __bool__(self) -> bool:
        """Returns `True` if any pair is a hit."""
        return bool(self.hits)

    def __repr__(self) -> str:
        return f"<noli.Report of {self.source}: {self.outcome}, {len(self.hits)} hits>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.data == other.data

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> str:
        """Returns the report as JSON."""
        return json.dumps(self.data)

    def columns(self) -> dict[str, list[Any]]:
        """Returns the pairs as columns, with the names of `noli check --csv`."""
        names = ["a", "b", "relation", "hit", "guarantee", "margin", "intersections", "touches"]
        columns: dict[str, list[Any]] = {name: [pair.get(name) for pair in self.pairs] for name in names}
        for end in ("at_least", "at_most"):
            # Infinity is `null` in JSON.
            found = [pair["clearance"][end] for pair in self.pairs]
            columns[f"clearance_{end}"] = [float("inf") if x is None else x for x in found]
        for axis, name in enumerate("xyz"):
            points = [pair["where"] for pair in self.pairs]
            columns[name] = [None if point is None else point[axis] for point in points]
        return columns

    def to_pandas(self) -> Any:
        """Returns the pairs as a `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(self.columns())

    def to_arrow(self) -> Any:
        """Returns the pairs as a `pyarrow.Table`."""
        import pyarrow

        return pyarrow.table(self.columns())

    def _repr_html_(self) -> str:
        rows = []
        for pair in self.pairs[:100]:
            clearance = pair["clearance"]["at_most"]
            cells = [pair["a"], pair["b"], pair["relation"], "" if clearance is None else f"{clearance:.6g}"]
            style = ' style="color:#b00020"' if pair["hit"] else ""
            rows.append(f"<tr{style}>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>")
        more = f"<p>{len(self.pairs) - 100} more pairs</p>" if len(self.pairs) > 100 else ""
        return (
            f"<p>{html.escape(self.source)}: <b>{html.escape(self.outcome)}</b>, {len(self.hits)} of "
            f"{self.summary['pairs']} pairs</p><table><tr><th>a</th><th>b</th><th>relation</th><th>clearance</th></tr>"
            + "".join(rows)
            + "</table>"
            + more
        )


def check(
    *paths: Path,
    demo: str | None = None,
    detail: int | None = None,
    kind: str = "auto",
    margin: float | str | None = None,
    tolerance: float | str | None = None,
    touching: bool = True,
    segments: int = 0,
    only: Sequence[str] = (),
    skip: Sequence[str] = (),
    exclude: Sequence[str] = (),
    results: Path | None = None,
    against: Path | None = None,
    group: str = "body",
    within: bool = False,
    all: bool = False,
    exact: bool = False,
    measure: bool = True,
    weld: float | str | bool | None = None,
    split: str | None = None,
    units: str | None = None,
    leave_out: bool = False,
    chord: float | str | None = None,
    radius: float | str | None = None,
    thin: float | str | None = None,
    cad_reader: str = "auto",
    poses: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
    steps: int | None = None,
    threads: int | None = None,
) -> Report:
    """Checks the pairs of bodies of a scene (TOML), of mesh files or of folders, as `noli check` does.

    Every object of a file is a body. With several files or folders, only pairs across them are checked (`within` checks
    all). `kind` selects the interpretation of meshes: "surface", "solid", or "auto", which takes closed ones as solids.
    Pairs within `margin` are hits; pairs proven to overlap by at most `tolerance` are not; `touching=False` permits contact.
    `only`, `skip` and `exclude` are patterns of names, or `"A,B"` for pairs: the only ones, those left out, those that
    clash by design. Approved clashes of the file `results` are no hits; `against` is an earlier check to compare with.
    `segments` is the number of intersections listed for each pair. `measure=False` leaves out penetration depths and volumes.
    Lengths are numbers in the unit of the files, or texts such as `"2mm"`. `demo` is one of `noli.demos()`.
    """
    options: dict[str, Any] = {
        "files": [os.fspath(path) for path in paths],
        "demo": demo,
        "detail": detail,
        "as": kind,
        "margin": margin,
        "tolerance": tolerance,
        "touching": "report" if touching else "ignore",
        "segments": segments,
        "only": list(only),
        "skip": list(skip),
        "exclude": list(exclude),
        "results": None if results is None else os.fspath(results),
        "against": None if against is None else os.fspath(against),
        "group": group,
        "within": within,
        "all": all,
        "exact": exact,
        "measure": measure,
        "weld": (0 if weld else None) if isinstance(weld, bool) else weld,
        "split": split,
        "units": units,
        "leave_out": leave_out,
        "chord": chord,
        "radius": radius,
        "thin": thin,
        "cad_reader": cad_reader,
        "poses": {} if poses is None else {name: dict(pose) for name, pose in poses.items()},
        "steps": steps,
    }
    return Report.from_json(_noli._check(json.dumps(options), threads))
