"""Convex pieces of twenty closed meshes by noli, CoACD and V-HACD, judged by one measure, in one run.

    python peers/solids/pieces.py --data FOLDER [--noli PROGRAM] [--limit SECONDS] [--only NAME...]

For an environment with `pip install coacd vhacdx scipy` and a release build of noli; peers that are not there are left out.
`--data` is a folder with `meshes`, `cad` and `robots`. Every method gets one thread and `--limit` seconds of processor time for a
mesh, in a process of its own. All lengths are shares of the mesh's diagonal, in %.

`off`: how far points of the pieces are from the solid, the one-sided Hausdorff distance, by the corners of the pieces, samples of their
faces and insides, and a search from the furthest of them, the same for all. `outside`: the share of the mesh's vertices that no piece holds (beyond 1e-7 of the
diagonal, as peers write rounded corners), and how far the worst is. `hole`: whether a straight line that passes through a hole of the solid
misses all pieces too. noli's own bracket on its error, which is proven, is told beside.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
from typing import Any, Optional

import numpy as np

CLOSED = [
    "robots/moveit_resources_panda_description/meshes/collision/link5.stl", "meshes/ballA.off",
    "cad/rigid-ipc/meshes/torus.obj", "cad/rigid-ipc/meshes/wrecking-ball/link.obj", "cad/rigid-ipc/meshes/gears/gear.obj",
    "cad/rigid-ipc/meshes/gears/rail.obj", "cad/rigid-ipc/meshes/507-movements/092-piston/crank.stl",
    "cad/rigid-ipc/meshes/507-movements/092-piston/head.stl", "meshes/handle.off", "meshes/helmet.off",
    "robots/ur5_robotiq85/meshes/ur5/collision/upperarm.stl", "meshes/couplingdown.off", "meshes/elephant.off",
    "meshes/cow.off", "meshes/rotor_small.off", "meshes/fandisk.off", "meshes/knot1.off",
    "cad/rigid-ipc/meshes/screw-and-nut/nut-big.obj", "cad/rigid-ipc/meshes/screw-and-nut/screw-big.obj",
    "meshes/cheese.off",
]  # fmt: skip

PEERS = {"CoACD": "coacd", "V-HACD": "vhacdx"}
# Beyond this share of the diagonal a vertex counts as outside.
ROUNDING = 1e-7


def fan(corners: list[int]) -> list[list[int]]:
    return [[corners[0], corners[k], corners[k + 1]] for k in range(1, len(corners) - 1)]


def read(path: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of an OFF, OBJ or STL file, equal corners being one vertex."""
    faces: list[list[int]] = []
    if path.suffix == ".stl":
        data = path.read_bytes()
        (count,) = struct.unpack_from("<I", data, 80)
        rows = np.frombuffer(data, np.dtype([("f", "<12f4"), ("_", "<u2")]), count, 84)["f"]
        points, faces = rows[:, 3:].reshape(-1, 3), np.arange(3 * count).reshape(-1, 3).tolist()
    elif path.suffix == ".off":
        words = " ".join(line.partition("#")[0] for line in path.read_text().splitlines()).split()[1:]
        n, m = int(words[0]), int(words[1])
        points, at = np.array(words[3 : 3 + 3 * n], float).reshape(-1, 3), 3 + 3 * n
        for _ in range(m):
            corners = int(words[at])
            faces += fan([int(word) for word in words[at + 1 : at + 1 + corners]])
            at += 1 + corners
    else:
        lines = [line.split() for line in path.read_text().splitlines()]
        points = np.array([words[1:4] for words in lines if words[:1] == ["v"]], float)
        for words in lines:
            if words[:1] == ["f"]:
                numbers = (int(word.partition("/")[0]) for word in words[1:])
                faces += fan([k - 1 if k > 0 else len(points) + k for k in numbers])
    vertices, same = np.unique(points.astype(float), axis=0, return_inverse=True)
    triangles = same.reshape(-1)[np.array(faces)]
    a, b, c = triangles.T
    return vertices, triangles[(a != b) & (b != c) & (c != a)]


def objects(path: pathlib.Path) -> list[np.ndarray]:
    """The corners of each object of an OBJ file that noli wrote."""
    found: list[list[list[float]]] = []
    for words in (line.split() for line in path.read_text().splitlines()):
        if words[:1] == ["o"]:
            found.append([])
        elif words[:1] == ["v"]:
            found[-1].append([float(word) for word in words[1:4]])
    return [np.array(corners) for corners in found]


def cut(method: str, mesh: pathlib.Path, into: pathlib.Path) -> None:
    """What the process of a peer does."""
    vertices, faces = read(mesh)
    if method == "CoACD":
        coacd = importlib.import_module("coacd")
        coacd.set_log_level("error")
        pieces = [v for v, _ in coacd.run_coacd(coacd.Mesh(vertices, faces))]
    else:
        pieces = [v for v, _ in importlib.import_module("vhacdx").compute_vhacd(vertices, faces.astype(np.uint32))]
    np.savez(into, *pieces)


def run(method: str, mesh: pathlib.Path, arguments: argparse.Namespace) -> tuple[Optional[list[np.ndarray]], float, str]:
    """The corners of the pieces, or nothing; seconds of the processor; what noli proves."""
    threads = {key: "1" for key in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS")}

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (arguments.limit, arguments.limit + 1))

    with tempfile.TemporaryDirectory() as folder:
        into = pathlib.Path(folder) / ("pieces.obj" if method == "noli" else "pieces.npz")
        if method == "noli":
            command = [arguments.noli, "decompose", str(mesh), "-o", str(into), "--json"]
        else:
            command = [sys.executable, __file__, "--cut", method, str(mesh), str(into)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, preexec_fn=limited, env={**os.environ, **threads})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if done.returncode != 0 or not into.exists():
            return None, seconds, "out of time" if seconds >= arguments.limit - 1 else "failed"
        if method == "noli":
            report = json.loads(done.stdout)
            error, diagonal = report["error"], report["summary"]["diagonal"]
            proven = f"{100 * error['at_least'] / diagonal:.2f} to {100 * error['at_most'] / diagonal:.2f}"
            return objects(into), seconds, proven
        with np.load(into) as file:
            return [file[name] for name in file.files], seconds, ""


def half_spaces(corners: np.ndarray) -> np.ndarray:
    """Rows `n, d` with `n · x + d <= 0` for points of the hull."""
    spatial = importlib.import_module("scipy.spatial")
    try:
        return spatial.ConvexHull(corners).equations
    except spatial.QhullError:
        return spatial.ConvexHull(corners, qhull_options="QJ").equations


def winding(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """How often a mesh winds around points (van Oosterom and Strackee 1983)."""
    total = np.zeros(len(points))
    for k, point in enumerate(points):
        a, b, c = (corners[:, i] - point for i in range(3))
        x, y, z = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        dot = lambda p, q: np.einsum("ij,ij->i", p, q)  # noqa: E731
        below = x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y
        total[k] = np.arctan2(dot(a, np.cross(b, c)), below).sum() / (2 * np.pi)
    return total


def distance(point: np.ndarray, corners: np.ndarray) -> float:
    """From a point to the nearest triangle: to its plane where the foot lies in it, else to its sides."""
    a, b, c = (corners[:, i] for i in range(3))
    dot = lambda p, q: np.einsum("ij,ij->i", p, q)  # noqa: E731
    best = np.inf
    for p, q in ((a, b), (b, c), (c, a)):
        way = q - p
        share = np.clip(dot(point - p, way) / np.maximum(dot(way, way), 1e-300), 0, 1)
        best = min(best, float(np.linalg.norm(p + way * share[:, None] - point, axis=1).min()))
    normal = np.cross(b - a, c - a)
    area = dot(normal, normal)
    inside = area > 0
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= dot(np.cross(q - p, point - p), normal) >= 0
    if inside.any():
        height = np.abs(dot(point - a, normal))[inside] / np.sqrt(area[inside])
        best = min(best, float(height.min()))
    return best


def samples(corners: np.ndarray, random: np.random.Generator, count: int) -> np.ndarray:
    """Mixtures of two, three and four corners of a piece: points of edges, faces and the inside."""
    mixed = [corners]
    for of in (2, 3, 4):
        chosen = corners[random.integers(0, len(corners), (count, of))]
        mixed.append(np.einsum("ij,ijk->ik", random.dirichlet([1] * of, count), chosen))
    return np.vstack(mixed)


def passes(at: np.ndarray, way: np.ndarray, planes: np.ndarray) -> bool:
    """Whether a line meets a convex piece."""
    rate, height = planes[:, :3] @ way, planes[:, :3] @ at + planes[:, 3]
    low, high = -np.inf, np.inf
    for r, h in zip(rate, height):
        if abs(r) < 1e-15:
            if h > 0:
                return False
        elif r > 0:
            high = min(high, -h / r)
        else:
            low = max(low, -h / r)
    return low < high


def line_meets(at: np.ndarray, way: np.ndarray, corners: np.ndarray) -> bool:
    """Whether a line meets a triangle (Moeller and Trumbore 1997)."""
    a, b, c = (corners[:, i] for i in range(3))
    e, f = b - a, c - a
    h = np.cross(way, f)
    det = np.einsum("ij,ij->i", e, h)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = at - a
        u = np.einsum("ij,ij->i", s, h) / det
        v = np.cross(s, e) @ way / det
        return bool(((det != 0) & (u >= 0) & (v >= 0) & (u + v <= 1)).any())


def through_hole(vertices: np.ndarray, faces: np.ndarray) -> Optional[tuple[np.ndarray, np.ndarray]]:
    """A line along an axis through the middle of a solid with a handle that misses it."""
    edges = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    if len(np.unique(faces)) - len(edges) + len(faces) >= 2:
        return None
    corners = vertices[faces]
    for middle in ((vertices.min(axis=0) + vertices.max(axis=0)) / 2, vertices.mean(axis=0)):
        for way in np.eye(3):
            # Beside the axis, which runs along edges of symmetric meshes.
            at = middle + 1e-4 * np.array([0.37, 0.61, 0.53]) * np.ptp(vertices, axis=0)
            if not line_meets(at, way, corners):
                return at, way
    return None


def judged(vertices: np.ndarray, faces: np.ndarray, pieces: list[np.ndarray], line: Any) -> tuple[float, float, float, str]:
    """Share of vertices outside, how far the worst is, how far pieces are off the solid, whether the hole is open."""
    random = np.random.default_rng(3)
    diagonal = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    planes = [half_spaces(piece) for piece in pieces]
    beyond = np.min([(vertices @ p[:, :3].T + p[:, 3]).max(axis=1) for p in planes], axis=0)
    corners = vertices[faces]

    def gap(point: np.ndarray) -> float:
        return 0.0 if abs(winding(point[None], corners)[0]) > 0.5 else distance(point, corners)

    found = [(gap(p), k, p) for k, piece in enumerate(pieces) for p in samples(piece, random, max(20, 1200 // len(pieces)))]
    found.sort(key=lambda sample: -sample[0])
    # The furthest are moved about in their pieces as long as they get further.
    off = 0.0
    for best, k, point in found[:20]:
        for step in 0.5 ** (np.arange(40) / 5):
            moved = point + step * (pieces[k][random.integers(0, len(pieces[k]))] - point)
            if (further := gap(moved)) > best:
                best, point = further, moved
        off = max(off, best)
    hole = "" if line is None else ("shut" if any(passes(*line, p) for p in planes) else "open")
    out = beyond > ROUNDING * diagonal
    return float(out.mean()), float(max(beyond.max(), 0)) / diagonal, off / diagonal, hole


def main() -> None:
    if sys.argv[1:2] == ["--cut"]:
        cut(sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--noli", default="noli")
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--only", nargs="*")
    arguments = parser.parse_args()
    there = [name for name, module in PEERS.items() if importlib.util.find_spec(module)]
    table: dict[str, list[tuple[float, ...]]] = {}
    print(f"{'mesh':14} {'faces':>6} {'method':8} {'pieces':>6} {'seconds':>8} {'outside':>8} {'by':>9} {'off':>7} {'hole':5} noli proves")
    for name in CLOSED:
        path = arguments.data / name
        if arguments.only and path.stem not in arguments.only:
            continue
        vertices, faces = read(path)
        line = through_hole(vertices, faces)
        for method in ["noli", *there]:
            pieces, seconds, told = run(method, path, arguments)
            head = f"{path.stem:14} {len(faces):6} {method:8}"
            if pieces is None:
                print(f"{head} {'':6} {seconds:8.1f} {told}", flush=True)
                continue
            outside, lost, off, hole = judged(vertices, faces, pieces, line)
            table.setdefault(method, []).append((len(pieces), seconds, 100 * outside, 100 * lost, 100 * off, hole == "open", hole != ""))
            row = f"{head} {len(pieces):6} {seconds:8.1f} {100 * outside:7.2f}% {100 * lost:9.5f} {100 * off:7.2f} {hole:5} {told}"
            print(row, flush=True)
    for method, rows in table.items():
        middle, most, sums = np.median(rows, axis=0), np.max(rows, axis=0), np.sum(rows, axis=0)
        print(
            f"{method}: {len(rows)} meshes; median (most): pieces {middle[0]:.0f} ({most[0]:.0f}), seconds {middle[1]:.1f} ({most[1]:.1f}), "
            f"outside {middle[2]:.2f} % ({most[2]:.2f} %) by {middle[3]:.5f} ({most[3]:.5f}), off {middle[4]:.2f} ({most[4]:.2f}); "
            f"holes open {sums[5]:.0f} of {sums[6]:.0f}"
        )


if __name__ == "__main__":
    main()
