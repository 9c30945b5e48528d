"""Memory does not grow with calls; NOLI_LEAK_CALLS=10000000 for the long run."""

import gc
import os
import resource

import noli
import numpy as np

CALLS = int(os.environ.get("NOLI_LEAK_CALLS", "100000"))


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_memory_stays() -> None:
    if not os.path.exists("/proc/self/statm"):
        return
    sphere = noli.Model(noli.Convex.sphere(0.5))
    cube = noli.Model(noli.Convex.cuboid([1, 1, 1]))
    poses = np.tile(np.eye(4), (20, 1, 1))
    poses[:, 0, 3] = np.linspace(0, 3, 20)

    def work(calls: int) -> None:
        for k in range(calls // 10):
            pose = noli.Pose([k % 7, 0, 0])
            noli.overlap(sphere, cube, pose)
            noli.overlap(sphere, cube.at(pose))
            noli.clearance(sphere, cube, pose).on_a
            noli.relation(sphere, cube, pose)
            contact = noli.contact(sphere, cube, pose)
            contact and contact.normal
            try:
                noli.overlap(sphere, cube, 3)
            except ValueError:
                pass
            if k % 20 == 0:
                noli.overlap(sphere, cube, poses, threads=1)
                noli.clearance(sphere, cube, poses, threads=1, witness=True)

    work(CALLS // 5)
    gc.collect()
    before = resident()
    work(CALLS)
    gc.collect()
    # A leak of a few bytes a call would be seen in 10^5 calls; pages that come and go are not.
    assert resident() - before < 4_000_000
