"""A campaign here and on a Ray cluster of three nodes, one of which is lost midway: equal to the last bit, with times.

    python benches/campaign.py [--draws 10000000] [--cuts 59]

For a release build with `pip install ray`. Overlap of two bumpy spheres (workload W1). The cluster is three nodes on this
machine, each a set of processes of its own, with one CPU each; the second is killed when a third of the chunks is
finished. Then a run in a process of its own is killed and continued. Ends with an error if results differ.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable

import noli
import noli.campaign

from speed import bumpy

PLAN = '''
name = "bumpy spheres"
seed = 42
count = {count}
scene = """
[[body]]
name = "a"
file = "a.ply"
as = "surface"
[[body]]
name = "b"
file = "b.ply"
as = "surface"
"""
[draw]
kind = "poses"
body = "b"
reach = [1.85, 2.25]
turn = "any"
'''


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.perf_counter()
    return work(), time.perf_counter() - begun


def shards(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}


def overhead(campaign: noli.campaign.Campaign, done: pathlib.Path, copy: pathlib.Path) -> float:
    """Returns the CPU time, in seconds, of a run apart from its queries: scanning, writing, merging."""
    made = [path.read_bytes() for path in sorted(done.glob("*.parquet"))]
    begun = time.process_time()
    for chunk in campaign.missing(copy):
        campaign.keep(copy, chunk, made[chunk])
    campaign.merge(copy)
    return time.process_time() - begun


def on_ray(campaign: noli.campaign.Campaign, out: pathlib.Path) -> tuple[dict[str, Any], float]:
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    lost: list[int] = []

    def lose_a_node(done: int, total: int) -> None:
        if not lost and 3 * done >= total:
            lost.append(done)
            cluster.remove_node(nodes[0], allow_graceful=False)

    try:
        found = timed(lambda: noli.campaign.run_ray(campaign, out, actors=3, progress=lose_a_node))
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert lost, "no node was lost"
    print(f"a node was killed after {lost[0]} of {campaign.chunks} chunks")
    return found


def killed(plan: pathlib.Path, out: pathlib.Path, chunks: int) -> int:
    """Kills a run in a process of its own when a third of its shards exist; returns their number."""
    script = f"import noli.campaign as c; c.run(c.open({str(plan)!r}), {str(out)!r})"
    process = subprocess.Popen([sys.executable, "-c", script])
    while len(list(out.glob("*.parquet"))) < max(1, chunks // 3) and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return len(list(out.glob("*.parquet")))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--draws", type=int, default=10_000_000)
    parser.add_argument("--cuts", type=int, default=59)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for body, phase in [("a", 0.3), ("b", 1.1)]:
            bumpy(arguments.cuts, phase).write(folder / f"{body}.ply")
        plan = folder / "plan.toml"
        plan.write_text(PLAN.format(count=arguments.draws))
        campaign = noli.campaign.open(plan)
        begun = time.process_time()
        one, alone = timed(lambda: noli.campaign.run(campaign, folder / "one", threads=1))
        cost = time.process_time() - begun
        extra = overhead(campaign, folder / "one", folder / "copy")
        here, wall = timed(lambda: noli.campaign.run(campaign, folder / "here"))
        assert here == one and shards(folder / "here") == shards(folder / "one")
        share = here["share"]
        print(f"{here['count']} draws in {campaign.chunks} chunks: {here['hits']} hits, {share['at_least']:.6f} to {share['at_most']:.6f}")
        print(f"1 thread {alone:.1f} s ({1e6 * cost / here['count']:.2f} us of CPU time per draw), {os.cpu_count()} threads {wall:.1f} s")
        print(f"overhead, for all chunks: {1000 * extra:.0f} ms of CPU time, {100 * extra / cost:.2f} %")
        there = killed(plan, folder / "killed", campaign.chunks)
        left, went_on = timed(lambda: noli.campaign.run(campaign, folder / "killed"))
        assert left == here and shards(folder / "killed") == shards(folder / "here")
        print(f"killed with {there} shards written, continued in {went_on:.1f} s: equal")
        ray, clock = on_ray(campaign, folder / "ray")
        assert json.dumps(ray) == json.dumps(here) and shards(folder / "ray") == shards(folder / "here")
        print(f"Ray, three nodes, one of them killed: {clock:.1f} s, equal to the last bit")


if __name__ == "__main__":
    main()
