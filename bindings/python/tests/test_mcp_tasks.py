"""Twelve tasks of designers, asked by the official client of the package `mcp`."""

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from test_mcp import CASE, program

LID = """
units = 'mm'
[[body]]
name = 'tub'
box = [100, 60, 40]
[[body]]
name = 'lid'
box = [100, 60, 4]
pose = { xyz = [0, 0, 22.5] }
[[body]]
name = 'shelf'
box = [100, 10, 10]
pose = { xyz = [0, 30, 75] }
"""

PLATES = {
    "top": ([30, 30, 4], [0, 0, 20]),
    "bottom": ([30, 30, 4], [0, 0, -20]),
    "left": ([4, 30, 35], [-10, 0, 0]),
    "right": ([4, 30, 35], [10, 0, 0]),
    "front": ([15, 4, 35], [0, -10, 0]),
    "back": ([15, 4, 35], [0, 10, 0]),
}
BOLT = "units = 'mm'\n[[body]]\nname = 'bolt'\nbox = [8, 8, 30]\n" + "".join(
    f"[[body]]\nname = '{name}'\nbox = {box}\npose = {{ xyz = {place} }}\n" for name, (box, place) in PLATES.items()
)

ARM = """<robot name="arm">
<link name="base"><collision><origin xyz="0 1 0"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="mount"/>
<link name="arm"><collision><origin xyz="0.6 0 0"/><geometry><box size="0.8 0.1 0.1"/></geometry></collision></link>
<joint name="fixed" type="fixed"><parent link="base"/><child link="mount"/></joint>
<joint name="turn" type="revolute"><parent link="mount"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>"""


def gear() -> str:
    """A gear of 12 teeth about z as OBJ: root radius 8, tip radius 10, teeth of 12 degrees, the first along x."""
    outline = [
        (radius * math.cos(math.radians(30 * tooth + offset)), radius * math.sin(math.radians(30 * tooth + offset)))
        for tooth in range(12)
        for offset, radius in ((-6, 8), (-6, 10), (6, 10), (6, 8))
    ]
    count = len(outline)
    points = [(x, y, z) for z in (-1, 1) for x, y in outline] + [(0, 0, -1), (0, 0, 1)]
    faces = []
    for i in range(count):
        j = (i + 1) % count
        faces += [(2 * count, j, i), (2 * count + 1, count + i, count + j), (i, j, count + j), (i, count + j, count + i)]
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points]
    return "\n".join(lines + ["f " + " ".join(str(vertex + 1) for vertex in face) for face in faces]) + "\n"


def designs(folder: Path) -> None:
    (folder / "case.toml").write_text(CASE)
    (folder / "lid.toml").write_text(LID)
    (folder / "bolt.toml").write_text(BOLT)
    (folder / "arm.urdf").write_text(ARM)
    (folder / "garbage.stl").write_text("solid nothing\nfacet banana\n")
    for name in ("gear_a.obj", "gear_b.obj"):
        (folder / name).write_text(gear())


def gears(phase: float, **more: object) -> dict[str, Any]:
    pose = {"xyz": [18.5, 0, 0], "rpy_deg": [0, 0, phase]}
    return {"files": ["gear_a.obj", "gear_b.obj"], "units": "mm", "poses": {"gear_b": pose}, **more}


def lid(angle: float) -> dict[str, Any]:
    return {"files": ["lid.toml"], "part": "lid", "axis": [1, 0, 0], "point": [0, 30, 20.5], "angle_deg": angle}


def within(bracket: dict[str, float], wanted: float) -> bool:
    return bracket["at_least"] <= wanted + 1e-9 and wanted - 1e-9 <= bracket["at_most"]


def stopped_by_shelf(answer: dict[str, Any]) -> bool:
    contact = answer["contacts"][0]
    angle = math.degrees(math.atan2(49.5, 5) - math.asin(4 / math.hypot(5, 49.5)))
    is_there = contact["safe_until"] * 110 <= angle + 1e-6 and angle <= contact["touching_by"] * 110 + 1e-4
    return answer["free"] is False and {contact["a"], contact["b"]} == {"lid", "shelf"} and is_there


# Name, tool, arguments, and the check of its answer.
TASKS: list[tuple[str, str, dict[str, Any], Callable[[dict[str, Any]], bool]]] = [
    ("gear out of phase", "check_files", gears(0), lambda a: a["outcome"] == "touching" and a["units"] == "mm"),
    ("gear in phase", "check_files", gears(15), lambda a: a["outcome"] == "free"),
    ("gear with a margin", "check_files", gears(15, margin=3), lambda a: a["outcome"] == "touching"),
    (
        "bracket through a case",
        "check_files",
        {"files": ["case.toml"]},
        lambda a: a["summary"]["intersecting"] == 1 and within(a["pairs"][0]["depth"], 3),
    ),
    ("blocked hinge", "sweep", lid(-110), stopped_by_shelf),
    ("free hinge", "sweep", lid(-70), lambda a: a["free"] is True),
    (
        "play of a lid",
        "clearance",
        {"files": ["lid.toml"], "a": "lid", "b": "tub"},
        lambda a: a["relation"] == "separated" and within(a["clearance"], 0.5),
    ),
    (
        "enclosed bolt",
        "can_remove",
        {"files": ["bolt.toml"], "part": "bolt", "time_s": 20},
        lambda a: a["removable"] is not True and {"top", "bottom"} <= set(a["blocked_by"]),
    ),
    (
        "bolt under an open top",
        "can_remove",
        {"files": ["bolt.toml"], "part": "bolt", "without": ["top"]},
        lambda a: a["removable"] is True and len(a["poses"]) >= 2,
    ),
    (
        "arm at its post",
        "robot_check",
        {"robot": "arm.urdf", "configuration": {"turn_deg": 90}},
        lambda a: a["outcome"] == "touching" and a["colliding_pairs"][0]["links"] == ["base", "arm"],
    ),
    (
        "arm on its motion",
        "robot_check",
        {"robot": "arm.urdf", "configuration": {"turn": 0}, "to": {"turn": -1.5}},
        lambda a: a["motion"]["free"] is True,
    ),
]
# Calls that must be refused, with a word of the message.
REFUSED = [
    ("check_files", {"files": ["garbage.stl"]}, "garbage.stl"),
    ("check_files", {"files": ["missing.stl"]}, "there is no such file"),
    ("clearance", {"files": ["lid.toml"], "a": "lid", "b": "tube"}, "the parts are"),
]


def test_twelve_tasks_and_the_progress_of_a_long_one(tmp_path: Path) -> None:
    client_module = pytest.importorskip("mcp.client.client", reason="the package mcp is not installed")
    stdio = pytest.importorskip("mcp.client.stdio", reason="the package mcp is not installed")
    noli = program()
    if noli is None:
        pytest.skip("the program noli is not built")
    designs(tmp_path)
    reports: list[float] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        assert total is not None and progress <= total and message
        reports.append(progress)

    async def session() -> None:
        server = stdio.StdioServerParameters(command=noli, args=["mcp", str(tmp_path)])
        async with client_module.Client(stdio.stdio_client(server)) as client:
            for name, tool, arguments, is_right in TASKS:
                result = await client.call_tool(tool, arguments, progress_callback=progressed)
                assert not result.is_error, f"{name}: {result.content[0].text}"
                assert is_right(result.structured_content), f"{name}: {result.structured_content}"
            # The twelfth task: wrong files.
            for tool, arguments, word in REFUSED:
                result = await client.call_tool(tool, arguments)
                assert result.is_error and word in result.content[0].text, result.content[0].text

    asyncio.run(session())
    assert reports == sorted(reports)
