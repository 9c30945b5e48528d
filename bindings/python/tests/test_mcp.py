"""`noli mcp` by the official client, where the package `mcp` and the program are there."""

import asyncio
import base64
import os
import shutil
from pathlib import Path

import pytest

CASE = """
units = 'mm'
[[body]]
name = 'wall'
box = [100, 4, 60]
pose = { xyz = [0, 50, 0] }
[[body]]
name = 'bracket'
box = [20, 46, 5]
pose = { xyz = [0, 28, 0] }
"""


def program() -> str | None:
    target = Path(__file__).resolve().parents[3] / "target"
    places = [os.environ.get("NOLI_PROGRAM"), *(target / profile / "noli" for profile in ("release", "debug"))]
    found = [str(place) for place in places if place and Path(place).is_file()]
    return found[0] if found else shutil.which("noli")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_is_answered(tmp_path: Path, mode: str) -> None:
    client_module = pytest.importorskip("mcp.client.client", reason="the package mcp is not installed")
    stdio = pytest.importorskip("mcp.client.stdio", reason="the package mcp is not installed")
    noli = program()
    if noli is None:
        pytest.skip("the program noli is not built")
    (tmp_path / "case.toml").write_text(CASE)

    async def session() -> None:
        server = stdio.StdioServerParameters(command=noli, args=["mcp", str(tmp_path)])
        async with client_module.Client(stdio.stdio_client(server), mode=mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert {"check_files", "clearance", "sweep", "can_remove", "robot_check"} <= set(names)
            result = await client.call_tool("check_files", {"files": ["case.toml"]})
            assert not result.is_error and result.structured_content["outcome"] == "touching"
            depth = result.structured_content["pairs"][0]["depth"]
            assert depth["at_least"] <= 3 <= depth["at_most"] + 1e-9
            picture = [block for block in result.content if block.type == "image"]
            assert base64.b64decode(picture[0].data).startswith(b"\x89PNG")
            lift = {"files": ["case.toml"], "part": "bracket", "translate": [0, -20, 0]}
            swept = await client.call_tool("sweep", {**lift, "ignore_initial_contact": True})
            assert not swept.is_error
            out = await client.call_tool("can_remove", {"files": ["case.toml"], "part": "wall", "ignore": ["bracket"]})
            assert out.is_error and "nothing that moves is compared" in out.content[0].text
            outside = await client.call_tool("info", {"file": "../case.toml"})
            assert outside.is_error

    asyncio.run(session())
