import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator

import noli
import numpy as np
import pytest

from conftest import matrices, random_poses


@pytest.fixture(autouse=True)
def handles_ctrl_c() -> Iterator[None]:
    """A shell that starts the tests in the background ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_takes_effect_between_chunks(bumpy: noli.Model) -> None:
    poses = matrices(random_poses(100_000, 1.8, seed=9))
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() - begun < 600:
            noli.clearance(bumpy, bumpy, poses)
    timer.join()
    assert time.monotonic() - begun < 300


def test_ctrl_c_stops_a_proof() -> None:
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        noli.Robot.puma560().pairs(samples=1_000_000, cells=1_000_000_000, every=True)
    timer.join()
    assert time.monotonic() - begun < 300


def _count(poses: np.ndarray, queue: "multiprocessing.Queue[int]") -> None:
    sphere = noli.Model(noli.Mesh.sphere(1.0, 4))
    queue.put(int(noli.overlap(sphere, sphere, poses).sum()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_forked_processes_have_threads_of_their_own() -> None:
    poses = matrices(random_poses(500, 2.2, seed=10))
    sphere = noli.Model(noli.Mesh.sphere(1.0, 4))
    expected = int(noli.overlap(sphere, sphere, poses).sum())
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_count, args=(poses, queue))
    child.start()
    try:
        assert queue.get(timeout=600) == expected
    finally:
        child.terminate()
        child.join()


def test_other_threads_run_meanwhile(bumpy: noli.Model) -> None:
    """The interpreter is released: another thread counts while a batch is computed."""
    poses = matrices(random_poses(20_000, 1.8, seed=11))
    done, counted = threading.Event(), [0]

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    noli.clearance(bumpy, bumpy, poses, threads=1)
    after = counted[0]
    done.set()
    thread.join()
    assert after - before > 100
