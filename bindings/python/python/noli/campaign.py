"""Campaigns: very many queries, in chunks that can be repeated; `docs/campaigns.md` has the format of plans.

>>> import noli.campaign, tempfile, pathlib
>>> plan = '''
... count = 1000
... chunk = 250
... scene = \"\"\"
... [[body]]
... name = "a"
... box = [2, 2, 2]
... [[body]]
... name = "b"
... box = [2, 2, 2]
... \"\"\"
... [draw]
... kind = "poses"
... body = "b"
... low = [-4, -4, -4]
... high = [4, 4, 4]
... '''
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> campaign = noli.campaign.open(folder / "plan.toml", text=plan)
>>> result = noli.campaign.run(campaign, folder / "shards")
>>> result["count"], result["share"]["at_least"] < 0.125 < result["share"]["at_most"]
(1000, True)
"""

from __future__ import annotations

import json
import os
import pathlib
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from ._noli import Campaign

__all__ = ["Campaign", "merge", "missing", "open", "run", "run_chunk", "run_ray", "shard_path", "status"]

Path = str | os.PathLike[str]


def open(path: Path, *, text: str | None = None) -> Campaign:
    """Opens a plan with its models; `text` replaces the content of the file at this path."""
    return Campaign(os.path.abspath(path), text)


def shard_path(out: Path, chunk: int) -> pathlib.Path:
    """Returns the path of the shard of a chunk, as `noli campaign` names it."""
    return pathlib.Path(out) / f"chunk-{chunk:09}.parquet"


def missing(campaign: Campaign, out: Path) -> list[int]:
    """Returns the chunks that have no shard of this campaign yet."""
    return campaign.missing(out)


def run_chunk(campaign: Campaign, out: Path, chunk: int, *, threads: int | None = None) -> None:
    """Runs one chunk and writes its shard: the unit of work for any scheduler. Repeating it changes nothing."""
    campaign.keep(out, chunk, *campaign.run(chunk, threads=threads))


def run(
    campaign: Campaign,
    out: Path,
    *,
    threads: int | None = None,
    progress: bool | Callable[[int, int], None] = False,
) -> dict[str, Any]:
    """Runs the missing chunks on all CPUs and merges the shards. After a kill, call it again.

    `progress` is called with the numbers of finished and of all chunks; `True` draws a bar with tqdm.
    """
    todo = missing(campaign, out)
    bar = _bar(progress, len(todo))
    for number, chunk in enumerate(todo):
        run_chunk(campaign, out, chunk, threads=threads)
        bar(number + 1, len(todo))
    return merge(campaign, out)


def _bar(progress: bool | Callable[[int, int], None], total: int) -> Callable[[int, int], None]:
    if callable(progress):
        return progress
    if not progress:
        return lambda done, total: None
    from tqdm.auto import tqdm

    bar = tqdm(total=total, unit="chunk")

    def step(done: int, total: int) -> None:
        bar.update(1)
        if done == total:
            bar.close()

    return step


def status(campaign: Campaign, out: Path) -> dict[str, int]:
    """Returns the numbers of chunks: all, done and missing."""
    left = len(missing(campaign, out))
    return {"chunks": campaign.chunks, "done": campaign.chunks - left, "missing": left}


def merge(campaign: Campaign, out: Path, partial: bool = False) -> dict[str, Any]:
    """Merges the shards: count, hits, their share with bounds, the smallest clearance and its draw.

    Missing or unreadable shards raise `ValueError`, unless `partial` is set; then `left_out` names them."""
    result: dict[str, Any] = json.loads(campaign.merge(out, partial))
    return result


def run_ray(
    campaign: Campaign,
    out: Path,
    *,
    actors: int | None = None,
    threads: int = 1,
    max_restarts: int = -1,
    progress: bool | Callable[[int, int], None] = False,
    chunks: Iterable[int] | None = None,
) -> dict[str, Any]:
    """Runs the missing chunks on a Ray cluster (`pip install noli[ray]`): a pool of actors that hold the models.

    Call `ray.init` first, unless a cluster on this machine suffices. Shards are returned to the caller and written
    there, so `out` need not be shared. The plan and its files must be readable at the same path on all nodes. A chunk
    that is lost with its node is run again. The result is equal to that of `run` to the last bit.
    """
    import ray

    if not ray.is_initialized():
        ray.init()

    @ray.remote(num_cpus=threads, max_restarts=max_restarts, max_task_retries=-1)  # type: ignore[misc]
    class Worker:
        def __init__(self, parts: tuple[Any, ...]) -> None:
            # Opened once by every actor; each chunk then needs its number only.
            self.campaign = Campaign(*parts)

        def run(self, chunk: int) -> tuple[int, bytes, bytes | None]:
            shard, rows = self.campaign.run(chunk, threads=threads)
            return chunk, shard, rows

    parts = campaign.__reduce__()[1]
    count = actors or max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)
    todo = list(missing(campaign, out) if chunks is None else chunks)
    bar = _bar(progress, len(todo))
    workers = [Worker.remote(parts) for _ in range(min(count, max(1, len(todo))))]
    waiting, left = deque(todo), set(todo)
    running: dict[Any, Any] = {}

    def begin(worker: Any) -> None:
        # If no chunk waits, repeat one that runs elsewhere: the CPU to restart it on may be lost with its node. The
        # first result counts; both are equal.
        chunk = waiting.popleft() if waiting else min(left, default=None)
        if chunk is not None:
            running[worker.run.remote(chunk)] = worker

    for worker in workers:
        begin(worker)
    while left:
        ready, _ = ray.wait(list(running))
        for answer in ready:
            worker = running.pop(answer)
            chunk, shard, rows = ray.get(answer)
            if chunk in left:
                left.remove(chunk)
                campaign.keep(out, chunk, shard, rows)
                bar(len(todo) - len(left), len(todo))
            begin(worker)
    for worker in workers:
        ray.kill(worker)
    # Chosen chunks may be a part of the campaign.
    return merge(campaign, out, partial=chunks is not None)
