"""NVIDIA Warp behind the protocol of ../README.md: `main.py JOB overlap REPEATS [--limit N] [--volume triangles|points]`.

Warp has no question about two meshes; these are the two that its users write with its mesh queries, in single precision, every pose
at once on the card (or, slowly, on the processor where there is none):

triangles  one thread for a pose and a triangle of B asks A's tree for the triangles near it, `intersect_tri_tri` decides
points     one thread for a pose and a vertex of either mesh asks whether it lies inside the other, by the sign of its distance

A pose that is known to meet is asked no more. The time of a pose is that of the batch over the number of poses.
"""

import argparse
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy
import warp as wp

wp.config.log_level = wp.LOG_ERROR
POSES_AT_ONCE = 4096


@wp.kernel
def by_triangles(a: wp.uint64, corners: wp.array(dtype=wp.vec3), poses: wp.array(dtype=wp.transform), hit: wp.array(dtype=wp.int32)):
    pose, face = wp.tid()
    if hit[pose] != 0:
        return
    p = wp.transform_point(poses[pose], corners[3 * face])
    q = wp.transform_point(poses[pose], corners[3 * face + 1])
    r = wp.transform_point(poses[pose], corners[3 * face + 2])
    query = wp.mesh_query_aabb(a, wp.min(wp.min(p, q), r), wp.max(wp.max(p, q), r))
    other = wp.int32(0)
    while wp.mesh_query_aabb_next(query, other):
        u = wp.mesh_eval_position(a, other, 1.0, 0.0)
        v = wp.mesh_eval_position(a, other, 0.0, 1.0)
        w = wp.mesh_eval_position(a, other, 0.0, 0.0)
        if wp.intersect_tri_tri(p, q, r, u, v, w) != 0:
            hit[pose] = 1
            return


@wp.kernel
def by_points(
    mesh: wp.uint64,
    vertices: wp.array(dtype=wp.vec3),
    poses: wp.array(dtype=wp.transform),
    reach: wp.float32,
    hit: wp.array(dtype=wp.int32),
):
    pose, vertex = wp.tid()
    if hit[pose] != 0:
        return
    found = wp.mesh_query_point_sign_normal(mesh, wp.transform_point(poses[pose], vertices[vertex]), reach)
    if found.result and found.sign < 0.0:
        hit[pose] = 1


def read_mesh(path):
    data = Path(path).read_bytes()
    assert data[:8] == b"NOLIRAW1", f"{path}: not a NOLIRAW1 mesh"
    vertices, triangles = numpy.frombuffer(data, "<u8", 2, 8)
    points = numpy.frombuffer(data, "<f8", 3 * vertices, 24).reshape(-1, 3)
    return points, numpy.frombuffer(data, "<u4", 3 * triangles, 24 + 24 * int(vertices)).astype(numpy.int32)


def build(mesh, device):
    points, indices = mesh
    return wp.Mesh(wp.array(points, dtype=wp.vec3, device=device), wp.array(indices, dtype=wp.int32, device=device))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("job", type=Path)
    parser.add_argument("query")
    parser.add_argument("repeats", type=int)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--volume", default="triangles")
    asked = parser.parse_args()
    wp.init()
    device = "cuda:0" if wp.is_cuda_available() else "cpu"
    a, b = read_mesh(asked.job / "a.raw"), read_mesh(asked.job / "b.raw")
    rows = numpy.loadtxt(asked.job / "poses.csv", delimiter=",", skiprows=1, ndmin=2)[: asked.limit]

    builds = []
    for _ in range(5):
        start = perf_counter()
        mesh_a = build(a, device)
        wp.synchronize()
        builds.append(perf_counter() - start)
    print(f"peer warp-{asked.volume} {wp.config.version} {median(builds) * 1e6:.0f}")
    if asked.query != "overlap":
        print("unsupported Warp answers overlap alone")
        return

    rows[:, :4] /= numpy.linalg.norm(rows[:, :4], axis=1, keepdims=True)
    forth = numpy.hstack([rows[:, 4:], rows[:, :4]])
    mesh_b = build(b, device) if asked.volume == "points" else None
    corners = wp.array(b[0][b[1]], dtype=wp.vec3, device=device)
    points_a, points_b = (wp.array(m[0], dtype=wp.vec3, device=device) for m in (a, b))
    reach = 2.0 * float(numpy.ptp(a[0], axis=0).max() + numpy.ptp(b[0], axis=0).max())

    def ask():
        hits = []
        for first in range(0, len(forth), POSES_AT_ONCE):
            some = forth[first : first + POSES_AT_ONCE]
            poses = wp.array(some, dtype=wp.transform, device=device)
            hit = wp.zeros(len(some), dtype=wp.int32, device=device)
            if asked.volume == "points":
                back = wp.array([wp.transform_inverse(wp.transform(*row)) for row in some], dtype=wp.transform, device=device)
                for mesh, points, there in ((mesh_a, points_b, poses), (mesh_b, points_a, back)):
                    wp.launch(by_points, (len(some), len(points)), [mesh.id, points, there, reach, hit], device=device)
            else:
                wp.launch(by_triangles, (len(some), len(corners) // 3), [mesh_a.id, corners, poses, hit], device=device)
            hits.append(hit.numpy())
        return numpy.concatenate(hits)

    answers = ask()
    times = []
    for _ in range(max(asked.repeats, 1)):
        start = perf_counter()
        answers = ask()
        times.append((perf_counter() - start) / len(forth))
    for answer in answers:
        print(f"{answer} {median(times) * 1e6:.3f}")


main()
