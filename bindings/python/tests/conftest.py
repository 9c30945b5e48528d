import pathlib

import noli
import numpy as np
import pytest


@pytest.fixture(scope="session")
def cube() -> noli.Model:
    return noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())


@pytest.fixture(scope="session")
def bumpy() -> noli.Model:
    """A sphere with bumps: not convex."""
    sphere = noli.Mesh.sphere(1.0, 12)
    v = sphere.vertices
    bumps = 1 + 0.1 * np.sin(7 * v[:, :1]) * np.cos(5 * v[:, 1:2])
    return noli.Model(noli.Mesh(v * bumps, sphere.faces, solid=True))


def random_poses(count: int, reach: float, seed: int = 1) -> np.ndarray:
    """Poses `(n, 7)`, quaternions as xyzw."""
    rng = np.random.default_rng(seed)
    quat = rng.normal(size=(count, 4))
    offset = rng.normal(size=(count, 3))
    offset *= reach * rng.uniform(0.5, 1.0, size=(count, 1)) / np.linalg.norm(offset, axis=1, keepdims=True)
    return np.hstack([offset, quat / np.linalg.norm(quat, axis=1, keepdims=True)])


def matrices(poses: np.ndarray) -> np.ndarray:
    """Converts poses to matrices `(n, 4, 4)`, by formula."""
    x, y, z, w = poses[:, 3:].T
    out = np.tile(np.eye(4), (len(poses), 1, 1))
    out[:, 0, 0], out[:, 0, 1], out[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    out[:, 1, 0], out[:, 1, 1], out[:, 1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    out[:, 2, 0], out[:, 2, 1], out[:, 2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    out[:, :3, 3] = poses[:, :3]
    return out


@pytest.fixture(scope="session")
def arm_urdf(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """An arm of three links, the last with a mesh, and a finger that mimics another."""
    folder = tmp_path_factory.mktemp("arm")
    noli.Mesh.cuboid([0.1, 0.1, 0.6]).write(folder / "hand.stl")
    links = ["base", "upper", "lower", "hand", "finger"]
    geometry = {
        "base": '<box size="0.4 0.4 0.2"/>',
        "upper": '<cylinder radius="0.08" length="0.8"/>',
        "lower": '<cylinder radius="0.06" length="0.8"/>',
        "hand": '<mesh filename="hand.stl"/>',
        "finger": '<sphere radius="0.05"/>',
    }
    text = '<robot name="arm">'
    for link in links:
        text += f'<link name="{link}"><collision><geometry>{geometry[link]}</geometry></collision></link>'
    chain = [("shoulder", "base", "upper", "0 0 0.6"), ("elbow", "upper", "lower", "0 0 0.9")]
    chain += [("wrist", "lower", "hand", "0 0 0.8")]
    for joint, parent, child, xyz in chain:
        text += (
            f'<joint name="{joint}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        )
    text += (
        '<joint name="grip" type="prismatic"><parent link="hand"/><child link="finger"/><origin xyz="0 0 0.4"/>'
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
        '<mimic joint="wrist" multiplier="0.01"/></joint></robot>'
    )
    path = folder / "arm.urdf"
    path.write_text(text)
    return path
