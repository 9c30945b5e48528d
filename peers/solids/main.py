"""What noli says of solids beside what others say: common volume and depth, in one run. `pieces.py` does convex pieces.

    python peers/solids/main.py volume [--pairs 500] [--data FOLDER]
    python peers/solids/main.py depth [--pairs 1000] [--exact 40] [--cuts 59] [--data FOLDER]
    python peers/solids/main.py growth [--up-to 1000000]

For an environment with the noli package (a release build) and `pip install manifold3d python-fcl coal scipy`;
peers that are not there are left out. `--data` is a folder with `meshes`, `cad` and `robots`, whose closed meshes take part.
Times are of the processor. `volume` and `depth` end with an error where a bracket does not hold.
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import sys
import time
from typing import Any, Callable, Iterator, Optional

import noli
import numpy as np

sys.path.append(str(pathlib.Path(__file__).parents[2] / "bindings/python/benches"))
from pieces import CLOSED  # noqa: E402
from speed import bumpy, poses  # noqa: E402

Solid = tuple[str, noli.Mesh]


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except Exception:  # noqa: BLE001
        return None


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What comes of it, and seconds of processor time."""
    begun = time.process_time()
    return work(), time.process_time() - begun


def quantiles(values: Any) -> str:
    shares = [0.05, 0.25, 0.5, 0.75, 0.95, 1.0]
    return "  ".join(f"{int(100 * s)} %: {q:.4g}" for s, q in zip(shares, np.quantile(values, shares)))


def unit(mesh: noli.Mesh) -> noli.Mesh:
    """About the origin, with a diagonal of 2."""
    low, high = mesh.bounds
    vertices = (mesh.vertices - (low + high) / 2) * (2 / np.linalg.norm(high - low))
    return noli.Mesh(vertices, mesh.faces, solid=True)


def real(data: Optional[pathlib.Path]) -> list[Solid]:
    """The closed meshes that do not pass through themselves."""
    found = []
    for name in CLOSED if data else []:
        mesh = unit(noli.Mesh.read(data / name, weld=True))  # type: ignore[operator]
        if mesh.is_closed and len(noli.self_intersections(noli.Model(mesh)).faces) == 0:
            found.append((pathlib.Path(name).stem, mesh))
        else:
            print(f"left out, passes through itself or is open: {name}")
    return found


def boxes(random: np.random.Generator) -> noli.Mesh:
    """A union of boxes that manifold3d made, turned so that no faces are in one plane."""
    manifold3d = importlib.import_module("manifold3d")
    whole = manifold3d.Manifold()
    for _ in range(random.integers(1, 9)):
        box = manifold3d.Manifold.cube(random.uniform(0.2, 1.0, 3).tolist(), True)
        whole += box.rotate(random.uniform(0, 360, 3).tolist()).translate(random.uniform(-0.5, 0.5, 3).tolist())
    mesh = whole.to_mesh64()
    return unit(noli.Mesh(np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts)))


def generated(random: np.random.Generator) -> Solid:
    kind = random.integers(0, 4)
    if kind == 0 and optional("manifold3d"):
        return "boxes", boxes(random)
    if kind == 1:
        return "torus", unit(noli.Mesh.torus(1.0, random.uniform(0.1, 0.5), 24, 12))
    if kind == 2:
        return "ellipsoid", unit(noli.Mesh.ellipsoid(random.uniform(0.2, 1.0, 3), 6))
    return "bumpy", unit(bumpy(12, random.uniform(0, 3)))


def turn(random: np.random.Generator) -> np.ndarray:
    x, y, z, w = (q := random.normal(size=4)) / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def overlapping(count: int, data: Optional[pathlib.Path], seed: int) -> Iterator[tuple[str, noli.Mesh, noli.Mesh, Any]]:
    """Pairs that share volume: half of generated solids, half of real ones where there are any; with the pose of B."""
    random, meshes, made = np.random.default_rng(seed), real(data), 0
    while made < count:
        if meshes and made % 2:
            (a_name, a), (b_name, b) = (meshes[k] for k in random.integers(0, len(meshes), 2))
        else:
            (a_name, a), (b_name, b) = generated(random), generated(random)
        pose = np.eye(4)
        pose[:3, :3], way = turn(random), random.normal(size=3)
        pose[:3, 3] = way / np.linalg.norm(way) * random.uniform(0.05, 1.2)
        if noli.relation(noli.Model(a), noli.Model(b), noli.Pose.from_matrix(pose)) in ("intersecting", "inside"):
            made += 1
            yield f"{a_name} and {b_name}", a, b, pose


def volume(arguments: argparse.Namespace) -> None:
    manifold3d = importlib.import_module("manifold3d")

    def manifold(mesh: noli.Mesh, pose: np.ndarray) -> Any:
        # The pose as noli takes it, so that both speak of one place.
        made = manifold3d.Manifold(manifold3d.Mesh64(vert_properties=mesh.vertices, tri_verts=mesh.faces.astype(np.uint64)))
        assert made.status() == manifold3d.Error.NoError, made.status()
        return made.transform(noli.Pose.from_matrix(pose).matrix[:3])

    widths, ours, theirs, off, wrong = [], 0.0, 0.0, 0.0, 0
    for number, (name, a, b, pose) in enumerate(overlapping(arguments.pairs, arguments.data, 1)):
        x, y, place = noli.Model(a), noli.Model(b), noli.Pose.from_matrix(pose)
        found, cost = timed(lambda: noli.overlap_volume(x, y, place))
        other, peer = timed(lambda: (manifold(a, np.eye(4)) ^ manifold(b, pose)).volume())
        ours, theirs = ours + cost, theirs + peer
        # What rounding of its own corners may change in the peer's volume.
        slack = 1e-9 * min(a.volume, b.volume)
        if not found.at_least - slack <= other <= found.at_most + slack:
            wrong += 1
            print(f"pair {number}, {name}: {other} is not in {found}, off by {min(abs(other - found.at_least), abs(other - found.at_most)):.2g}")
        else:
            off = max(off, found.at_least - other, other - found.at_most)
        widths.append((found.at_most - found.at_least) / found.at_most)
    print(f"{arguments.pairs} pairs, {wrong} outside the bracket; manifold3d is outside it by at most {off:.2g} (of solids of diagonal 2)")
    print(f"width of the bracket as a share of its upper end: {quantiles(widths)}")
    print(f"ms a pair: noli {1000 * ours / arguments.pairs:.2f}, manifold3d {1000 * theirs / arguments.pairs:.2f}")
    assert wrong == 0


def fcl_depth(a: noli.Mesh, b: noli.Mesh) -> Optional[Callable[[np.ndarray], tuple[float, np.ndarray]]]:
    fcl = optional("fcl")
    if fcl is None:
        return None

    def body(mesh: noli.Mesh) -> Any:
        bvh = fcl.BVHModel()
        bvh.beginModel(len(mesh.vertices), len(mesh))
        bvh.addSubModel(mesh.vertices, mesh.faces.astype(np.int64))
        bvh.endModel()
        return fcl.CollisionObject(bvh)

    first, second = body(a), body(b)

    def ask(pose: np.ndarray) -> tuple[float, np.ndarray]:
        second.setTransform(fcl.Transform(pose[:3, :3], pose[:3, 3]))
        request = fcl.CollisionRequest(num_max_contacts=100_000, enable_contact=True)
        result = fcl.CollisionResult()
        fcl.collide(first, second, request, result)
        deepest = max(result.contacts, key=lambda contact: contact.penetration_depth, default=None)
        return (deepest.penetration_depth, np.asarray(deepest.normal)) if deepest else (0.0, np.zeros(3))

    return ask


def coal_depth(a: noli.Mesh, b: noli.Mesh) -> Optional[Callable[[np.ndarray], tuple[float, np.ndarray]]]:
    coal = optional("coal")
    if coal is None:
        return None

    def body(mesh: noli.Mesh) -> Any:
        bvh = coal.BVHModelOBBRSS()
        bvh.beginModel(len(mesh), len(mesh.vertices))
        bvh.addVertices(mesh.vertices)
        bvh.addTriangles(mesh.faces.astype(np.int64))
        bvh.endModel()
        return bvh

    first, second, here = body(a), body(b), coal.Transform3s()
    request = coal.CollisionRequest()
    request.num_max_contacts = 100_000
    request.enable_contact = True

    def ask(pose: np.ndarray) -> tuple[float, np.ndarray]:
        result = coal.CollisionResult()
        coal.collide(first, here, second, coal.Transform3s(pose[:3, :3], pose[:3, 3]), request, result)
        found = [result.getContact(k) for k in range(result.numContacts())]
        deepest = max(found, key=lambda contact: -contact.penetration_depth if contact.penetration_depth < 0 else contact.penetration_depth, default=None)
        return (abs(deepest.penetration_depth), np.asarray(deepest.normal).ravel()) if deepest else (0.0, np.zeros(3))

    return ask


def deep(arguments: argparse.Namespace) -> Iterator[tuple[str, noli.Mesh, noli.Mesh, Any]]:
    """Half of the deep set of W1, half of real meshes."""
    half = arguments.pairs // 2 if arguments.data else arguments.pairs
    a, b = (bumpy(arguments.cuts, phase).solid() for phase in (0.3, 1.1))
    for pose in poses(half, 0.5, 1.5):
        yield "W1d", a, b, pose
    for name, a, b, pose in overlapping(2 * (arguments.pairs - half), arguments.data, 2):
        if name.split()[0] not in ("boxes", "torus", "ellipsoid", "bumpy"):
            yield "real", a, b, pose


def depth(arguments: argparse.Namespace) -> None:
    peers: dict[str, Any] = {"python-fcl": fcl_depth, "coal": coal_depth}
    costs: dict[tuple[str, str], list[float]] = {}
    ratios: dict[tuple[str, str], list[float]] = {}
    counts: dict[tuple[str, str], list[int]] = {}
    # A mesh is prepared once, and asked once beforehand: a model finds out when first asked what kind of solid it is.
    models: dict[int, noli.Model] = {}
    engines: dict[tuple[int, int], dict[str, Any]] = {}

    def prepared(mesh: noli.Mesh) -> noli.Model:
        if id(mesh) not in models:
            models[id(mesh)] = noli.Model(mesh)
            noli.penetration(models[id(mesh)], models[id(mesh)], noli.Pose([0.3, 0.2, 0.1]))
        return models[id(mesh)]

    exact = 0
    for number, (kind, a, b, pose) in enumerate(deep(arguments)):
        x, y, place = prepared(a), prepared(b), noli.Pose.from_matrix(pose)
        if (id(a), id(b)) not in engines:
            engines[id(a), id(b)] = {name: make(a, b) for name, make in peers.items()}
        loops = engines[id(a), id(b)]

        def moved(way: np.ndarray) -> str:
            there = place.matrix.copy()
            there[:3, 3] += way
            return str(noli.relation(x, y, noli.Pose.from_matrix(there)))

        asked = ["default"] + (["exact"] if number % max(1, arguments.pairs // max(1, arguments.exact)) == 0 and exact < arguments.exact else [])
        for how in asked:
            (found, way), cost = timed(lambda: noli.penetration(x, y, place, exact=how == "exact"))
            exact += how == "exact"
            costs.setdefault((kind, f"noli, {how}"), []).append(cost)
            assert way is not None and moved(way * found.at_most) in ("apart", "touching"), f"pair {number}: {found}"
            if found.at_least > 0:
                ratios.setdefault((kind, how), []).append(found.at_most / found.at_least)
            counts.setdefault((kind, f"noli, {how}"), [0, 0, 0, 0])[0] += found.at_least > 0
        for name, ask in loops.items():
            if ask is None:
                continue
            (told, normal), cost = timed(lambda: ask(pose))
            costs.setdefault((kind, name), []).append(cost)
            ratios.setdefault((kind, f"{name}, depth told to ours from above"), []).append(told / found.at_most)
            count = counts.setdefault((kind, name), [0, 0, 0, 0])
            count[0] += 1
            count[1] += told < found.at_least
            count[2] += told > found.at_most
            # Both ways, as its sign is a matter of convention.
            count[3] += all(moved(side * normal * told * (1 + 1e-9)) not in ("apart", "touching") for side in (1, -1))
    for (kind, name), spent in costs.items():
        print(f"{kind}, {name}: {len(spent)} pairs, ms a pair: {quantiles(1000 * np.array(spent))}")
        count = counts[kind, name]
        if name.startswith("noli"):
            print(f"  lower end above 0 in {count[0]}; free or touching after the translation in all")
        else:
            print(f"  proven too small in {count[1]}, too large in {count[2]}; moved by it, still overlapping in {count[3]}")
    for (kind, name), ratio in ratios.items():
        told = f"{name}: upper end to lower end" if name in ("default", "exact") else name
        print(f"{kind}, {told}: {quantiles(ratio)}")


def growth(arguments: argparse.Namespace) -> None:
    place = noli.Pose.from_matrix(poses(8, 0.5, 1.5)[3])
    for cuts in [7, 22, 71, 224]:
        if 20 * cuts * cuts > 1.05 * arguments.up_to:
            break
        (a, b), built = timed(lambda: [noli.Model(bumpy(cuts, phase).solid()) for phase in (0.3, 1.1)])
        (found, _), first = timed(lambda: noli.penetration(a, b, place))
        _, again = timed(lambda: noli.penetration(a, b, place))
        shared, cost = timed(lambda: noli.overlap_volume(a, b, place))
        print(
            f"2 x {20 * cuts * cuts:8} triangles: models {built:6.2f} s; depth {found.at_least:.4f} to {found.at_most:.4f}, "
            f"first {1000 * first:8.1f} ms, then {1000 * again:7.1f} ms; volume {shared.at_least:.6f} to {shared.at_most:.6f}, {1000 * cost:8.1f} ms"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["volume", "depth", "growth"])
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--exact", type=int, default=40)
    parser.add_argument("--cuts", type=int, default=59)
    parser.add_argument("--up-to", type=int, default=1_000_000)
    parser.add_argument("--data", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.pairs = arguments.pairs or {"volume": 500, "depth": 1000}.get(arguments.what, 0)
    {"volume": volume, "depth": depth, "growth": growth}[arguments.what](arguments)


if __name__ == "__main__":
    main()
