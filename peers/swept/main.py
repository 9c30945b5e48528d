"""Swept volumes of noli, gpytoolbox and libigl on the same parts and motions: `main.py NOLI [--error MM] [--poses N]`.

See ../README.md. A part moves straight while it turns. Vertices and centres of faces of the part at many poses are tested
against each mesh by libigl's signed distance: those outside were missed. The voxels of gpytoolbox and libigl have the edge
that noli takes for the error.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import gpytoolbox
import igl
import numpy as np

TURN, MOVE = np.array([0.6, 1.2, 0.9]), np.array([60.0, 25.0, 10.0])


def box(x, y, z):
    v = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float) * np.array([x, y, z]) / 2
    f = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return v, np.array(f)


def torus(major, minor, slices=48):
    around, across = slices, slices // 2
    a, b = np.meshgrid(np.arange(around) * 2 * np.pi / around, np.arange(across) * 2 * np.pi / across, indexing="ij")
    ring = major + minor * np.cos(b)
    v = np.stack([ring * np.cos(a), ring * np.sin(a), minor * np.sin(b)], -1).reshape(-1, 3)
    at = lambda i, j: (i % around) * across + j % across
    f = [t for i in range(around) for j in range(across)
         for t in ([at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)])]
    return v, np.array(f)


PARTS = {"torus 40/8": torus(40, 8), "box 60/20/40": box(60, 20, 40), "sheet of 0.3": box(60, 0.3, 40)}


def pose(share):
    angle = np.linalg.norm(TURN) * share
    x, y, z = TURN / np.linalg.norm(TURN)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    out = np.eye(4)
    out[:3, :3] += np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    out[:3, 3] = MOVE * share
    return out


def ours(program, v, f, error):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        igl.writeOBJ(str(folder / "part.obj"), v, f)
        scene = '[[body]]\nname = "part"\nfile = "part.obj"\nas = "solid"\n[[motion]]\nbody = "part"\nkind = "straight"\n'
        angle = float(np.linalg.norm(TURN))
        axis = (TURN / angle).tolist()
        # Something that stands still has to be there.
        scene = '[[body]]\nname = "far"\nbox = [1, 1, 1]\npose = { xyz = [0, 0, 1000] }\n' + scene
        (folder / "scene.toml").write_text(f"{scene}to = {{ xyz = {MOVE.tolist()}, axis = {axis}, angle_rad = {angle} }}\n")
        command = [program, "sweep", folder / "scene.toml", "--volume", folder / "out.obj", "--error", str(error), "--json"]
        done = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        vertices, faces = igl.readOBJ(str(folder / "out.obj"))[0], igl.readOBJ(str(folder / "out.obj"))[3]
        return vertices, faces, done["volume"]["seconds"]


def with_gpytoolbox(v, f, error):
    begun = time.perf_counter()
    u, g = gpytoolbox.swept_volume(v, f, transformations=[pose(s) for s in np.linspace(0, 1, 40)], eps=error)
    return u, g, time.perf_counter() - begun


def with_libigl(v, f, error, steps):
    begun = time.perf_counter()
    extent = np.ptp(np.concatenate([v @ pose(s)[:3, :3].T + pose(s)[:3, 3] for s in np.linspace(0, 1, 20)]), axis=0).max()
    u, g = igl.swept_volume(v, f.astype(np.int64), [pose(s) for s in np.linspace(0, 1, steps)], grid_res=int(extent / error) + 1)
    return u, g, time.perf_counter() - begun


def misses(points, u, g):
    if len(g) == 0:
        return len(points), float("inf"), False
    distance = igl.signed_distance(points, u, g.astype(np.int64), sign_type=igl.SIGNED_DISTANCE_TYPE_FAST_WINDING_NUMBER)[0]
    closed = len(igl.boundary_facets(g.astype(np.int64))[0]) == 0
    outside = distance > 1e-6
    return int(outside.sum()), float(distance.max(initial=0)), closed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("noli")
    parser.add_argument("--error", type=float, default=2.0)
    parser.add_argument("--poses", type=int, default=2000)
    options = parser.parse_args()
    for name, (v, f) in PARTS.items():
        own = np.concatenate([v, v[f].mean(axis=1)])
        own = own[:: max(1, len(own) // 60)]
        points = np.concatenate([own @ pose(s)[:3, :3].T + pose(s)[:3, 3] for s in np.linspace(0, 1, options.poses)])
        made = {
            "noli": lambda: ours(options.noli, v, f, options.error),
            "gpytoolbox": lambda: with_gpytoolbox(v, f, options.error),
            "libigl, 100 steps": lambda: with_libigl(v, f, options.error, 100),
        }
        for who, make in made.items():
            try:
                u, g, seconds = make()
            except Exception as error:
                print(f"{name}: {who}: {type(error).__name__}: {error}", flush=True)
                continue
            count, far, closed = misses(points, u, g)
            print(f"{name}: {who}: {count} of {len(points)} points outside, by up to {far:.3f} mm; {len(g)} triangles, "
                  f"{'closed' if closed else 'open'}; {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
