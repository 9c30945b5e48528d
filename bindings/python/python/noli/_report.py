"""Checks of whole assemblies."""

from __future__ import annotations

import html
import json
import os
from typing import Any, Optional, Sequence, Union

from . import _noli

__all__ = ["Report", "check"]

Path = Union[str, "os.PathLike[str]"]


class Report:
    """What a check found. Fields are those of `noli check --json`, as plain Python data in `data`.

    >>> import noli
    >>> report = noli.check(demo="engine-bay")
    >>> report.outcome, report.summary["bodies"] == len(report.bodies), bool(report)
    ('touching', True, True)
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """A report that was written by `to_json` or by `noli check --json`."""
        return cls(json.loads(text))

    @property
    def source(self) -> str:
        """What was checked."""
        return str(self.data["source"])

    @property
    def outcome(self) -> str:
        """"free", "touching" or "undecided"."""
        return str(self.data["outcome"])

    @property
    def units(self) -> Optional[str]:
        """The unit of lengths, where files say it."""
        found: Optional[str] = self.data["units"]
        return found

    @property
    def summary(self) -> dict[str, int]:
        """How many of each kind."""
        found: dict[str, int] = self.data["summary"]
        return found

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies."""
        found: list[dict[str, Any]] = self.data["bodies"]
        return found

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """The pairs that were compared, the worst first."""
        found: list[dict[str, Any]] = self.data["pairs"]
        return found

    @property
    def hits(self) -> list[dict[str, Any]]:
        """Those pairs that count: they meet, or are closer than the margin."""
        return [pair for pair in self.pairs if pair["hit"]]

    @property
    def warnings(self) -> list[str]:
        """What was odd about the files."""
        found: list[str] = self.data["warnings"]
        return found

    def __bool__(self) -> bool:
        """Whether anything counts as a hit."""
        return bool(self.hits)

    def __repr__(self) -> str:
        return f"<noli.Report of {self.source}: {self.outcome}, {len(self.hits)} hits>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.data == other.data

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> str:
        """As text."""
        return json.dumps(self.data)

    def columns(self) -> dict[str, list[Any]]:
        """The pairs as columns: names, relation, hit, guarantee, margin, the gap, crossings and the place."""
        names = ["a", "b", "relation", "hit", "guarantee", "margin", "crossings", "touches"]
        columns: dict[str, list[Any]] = {name: [pair.get(name) for pair in self.pairs] for name in names}
        for end in ("at_least", "at_most"):
            # What has no end is `null` in JSON.
            columns[f"gap_{end}"] = [
                float("inf") if pair["gap"][end] is None else pair["gap"][end] for pair in self.pairs
            ]
        for axis, name in enumerate("xyz"):
            places = [pair["where"] for pair in self.pairs]
            columns[name] = [None if place is None else place[axis] for place in places]
        return columns

    def to_pandas(self) -> Any:
        """The pairs as a `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(self.columns())

    def to_arrow(self) -> Any:
        """The pairs as a `pyarrow.Table`."""
        import pyarrow

        return pyarrow.table(self.columns())

    def _repr_html_(self) -> str:
        rows = []
        for pair in self.pairs[:100]:
            gap = pair["gap"]["at_most"]
            cells = [pair["a"], pair["b"], pair["relation"], "" if gap is None else f"{gap:.6g}"]
            style = ' style="color:#b00020"' if pair["hit"] else ""
            rows.append(f"<tr{style}>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>")
        more = f"<p>{len(self.pairs) - 100} more pairs</p>" if len(self.pairs) > 100 else ""
        return (
            f"<p>{html.escape(self.source)}: <b>{html.escape(self.outcome)}</b>, {len(self.hits)} of "
            f"{self.summary['pairs']} pairs</p><table><tr><th>a</th><th>b</th><th>relation</th><th>gap</th></tr>"
            + "".join(rows)
            + "</table>"
            + more
        )


def check(
    *paths: Path,
    demo: Optional[str] = None,
    kind: str = "auto",
    margin: Optional[float] = None,
    touching: bool = True,
    segments: int = 0,
    only: Sequence[str] = (),
    skip: Sequence[str] = (),
    within: bool = False,
    all: bool = False,
    weld: Optional[bool] = None,
    units: Optional[str] = None,
    steps: Optional[int] = None,
    threads: Optional[int] = None,
) -> Report:
    """How the bodies of a scene (TOML), of mesh files or of folders stand to each other.

    Every object of a file is a body. With several files or folders, the bodies of each are compared with those of the
    others (`within` compares all). `kind` says what faces stand for: "surface", "solid", or "auto", which takes closed
    meshes as solids. Pairs at most `margin` apart count as hits; `touching=False` lets bodies touch. `only` and `skip`
    are patterns of names, or `"A,B"` for pairs. `segments` is how many crossings of each pair are listed. `demo` is one
    of `noli.demos()`.
    """
    text = _noli._check(
        [os.fspath(path) for path in paths],
        demo,
        kind,
        margin,
        touching,
        segments,
        list(only),
        list(skip),
        within,
        all,
        weld,
        units,
        steps,
        threads,
    )
    return Report.from_json(text)
