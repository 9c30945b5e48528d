import json
import os
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import noli.campaign
import pytest

PLAN = '''
name = "spheres"
seed = 5
count = 20000
chunk = 2500
question = "clearance"
scene = """
[[body]]
name = "a"
box = [200, 150, 100]
[[body]]
name = "b"
sphere = { radius = 40 }
"""
[draw]
kind = "poses"
body = "b"
center = [0, 0, 0]
reach = [100, 400]
turn = "any"
[histogram]
to = 500
bins = 20
'''


@pytest.fixture()
def plan(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def shards(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}


def test_chunks_do_not_depend_on_threads_or_order(plan: pathlib.Path, tmp_path: pathlib.Path) -> None:
    campaign = noli.campaign.open(plan)
    assert (campaign.name, campaign.count, campaign.chunks, campaign.question) == ("spheres", 20000, 8, "clearance")
    result = noli.campaign.run(campaign, tmp_path / "one", threads=1)
    assert result["count"] == 20000 and 0 < result["hits"] < 20000 and sum(result["histogram"]) == 20000
    # In another order, in parts, by a pickled object, one chunk twice.
    again = pickle.loads(pickle.dumps(campaign))
    for chunk in [7, 3, 3, 0, 1, 6]:
        noli.campaign.run_chunk(again, tmp_path / "two", chunk, threads=2)
    assert noli.campaign.status(campaign, tmp_path / "two") == {"chunks": 8, "done": 5, "missing": 3}
    assert noli.campaign.run(again, tmp_path / "two") == result
    assert shards(tmp_path / "one") == shards(tmp_path / "two")
    witness = campaign.draw(result["smallest"]["index"])
    assert witness.tolist() == result["smallest"]["draw"]


def test_shards_of_another_campaign_are_run_again(plan: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    campaign = noli.campaign.open(plan)
    noli.campaign.run_chunk(campaign, out, 0)
    (out / "chunk-000000001.parquet").write_bytes(b"PAR1 cut short")
    other = noli.campaign.open(plan, text=plan.read_text().replace("seed = 5", "seed = 6"))
    other_shard, _ = other.run(2)
    (out / "chunk-000000002.parquet").write_bytes(other_shard)
    assert list(noli.campaign.missing(campaign, out)) == [1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(noli.FileError, match="line"):
        noli.campaign.open(plan, text="count = 0")


def test_a_killed_run_continues(plan: pathlib.Path, tmp_path: pathlib.Path) -> None:
    script = (
        "import noli.campaign, os, sys\n"
        f"c = noli.campaign.open({str(plan)!r})\n"
        "def stop(done, total):\n"
        "    if done == 3: os._exit(9)\n"
        f"noli.campaign.run(c, {str(tmp_path / 'killed')!r}, progress=stop)\n"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 9
    campaign = noli.campaign.open(plan)
    assert noli.campaign.status(campaign, tmp_path / "killed")["done"] == 3
    resumed = noli.campaign.run(campaign, tmp_path / "killed")
    assert resumed == noli.campaign.run(campaign, tmp_path / "whole")
    assert shards(tmp_path / "killed") == shards(tmp_path / "whole")


@pytest.mark.further
def test_tables_can_be_queried(plan: pathlib.Path, tmp_path: pathlib.Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    text = plan.read_text().replace('question = "clearance"', 'question = "clearance"\nrows = true')
    campaign = noli.campaign.open(plan, text=text)
    result = noli.campaign.run(campaign, tmp_path / "out")
    summary = parquet.read_table(tmp_path / "out" / "chunk-000000003.parquet").to_pylist()
    assert len(summary) == 1 and summary[0]["first"] == 7500 and len(summary[0]["histogram"]) == 22
    rows = parquet.read_table(tmp_path / "out" / "rows").to_pydict()
    assert sorted(rows["index"]) == list(range(20000)) and sum(rows["hit"]) == result["hits"]
    assert min(rows["at_most"]) == result["smallest"]["at_most"]
    duckdb = pytest.importorskip("duckdb")
    pattern = str(tmp_path / "out" / "*.parquet")
    query = f"select sum(count), sum(hits), min(smallest_at_most) from '{pattern}'"
    found = duckdb.connect().execute(query).fetchone()
    assert found == (20000, result["hits"], result["smallest"]["at_most"])


def rows_by(reader: str, path: pathlib.Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file, read by another library."""
    if reader == "pyarrow":
        rows: list[dict[str, Any]] = pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
    elif reader == "duckdb":
        found = pytest.importorskip("duckdb").connect().execute("select * from read_parquet(?)", [str(path)])
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row)) for row in found.fetchall()]
    else:
        rows = pytest.importorskip("polars").read_parquet(path).to_dicts()
    return rows


@pytest.mark.further
@pytest.mark.parametrize("reader", ["pyarrow", "duckdb", "polars"])
def test_every_type_of_column_is_read(reader: str, plan: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Texts, whole numbers, floats and flags; required, optional with and without a value, and as lists."""
    text = plan.read_text().replace('question = "clearance"', 'question = "clearance"\nrows = true')
    campaign = noli.campaign.open(plan, text=text)
    result = noli.campaign.run(campaign, tmp_path / "out")
    paths = sorted((tmp_path / "out").glob("*.parquet"))
    summaries = [row for path in paths for row in rows_by(reader, path)]
    assert [(row["name"], row["seed"], row["chunk"], row["first"]) for row in summaries] == [
        ("spheres", 5, chunk, 2500 * chunk) for chunk in range(8)
    ]
    assert all(isinstance(row[name], str) and row[name] for row in summaries for name in ("plan", "models", "version"))
    assert [sum(row[name] for row in summaries) for name in ("count", "hits", "unknown")] == [
        result["count"],
        result["hits"],
        result["unknown"],
    ]
    best = next(row for row in summaries if row["witness_index"] == result["smallest"]["index"])
    assert best["smallest_at_least"] == result["smallest"]["at_least"]
    assert best["smallest_at_most"] == result["smallest"]["at_most"]
    assert list(best["witness"]) == result["smallest"]["draw"]
    assert [sum(bins) for bins in zip(*(row["histogram"] for row in summaries))] == result["histogram"]
    assert all(isinstance(row["pairs"], list) and isinstance(row["pair_hits"], list) for row in summaries)
    rows = [row for path in sorted((tmp_path / "out" / "rows").glob("*.parquet")) for row in rows_by(reader, path)]
    assert [row["index"] for row in rows] == list(range(20000))
    assert {type(row["hit"]) for row in rows} == {bool} and sum(row["hit"] for row in rows) == result["hits"]
    assert all(row["at_least"] <= row["at_most"] for row in rows)
    # Without any hit there is no witness: optional columns and a list have no value.
    far = plan.read_text().replace('"clearance"', '"overlap"').replace("[100, 400]", "[2000, 3000]")
    noli.campaign.run_chunk(noli.campaign.open(plan, text=far), tmp_path / "far", 0)
    [row] = rows_by(reader, tmp_path / "far" / "chunk-000000000.parquet")
    assert [row[name] for name in ("witness_index", "smallest_at_least", "smallest_at_most")] == [None] * 3
    assert list(row["witness"]) == []


@pytest.mark.further
def test_ray_gives_equal_results(plan: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A cluster of three nodes (processes) on this machine, one of which is lost midway."""
    ray = pytest.importorskip("ray")
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
        ray.init(address=cluster.address, log_to_driver=False)
    except Exception as error:  # noqa: BLE001
        pytest.skip(f"ray cannot start a cluster here: {error}")
    campaign = noli.campaign.open(plan)
    lost = []

    def lose_a_node(done: int, total: int) -> None:
        if done == 3 and not lost:
            lost.append(nodes[0])
            cluster.remove_node(nodes[0], allow_graceful=False)

    try:
        result = noli.campaign.run_ray(campaign, tmp_path / "ray", progress=lose_a_node)
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert lost
    assert json.dumps(result) == json.dumps(noli.campaign.run(campaign, tmp_path / "here"))
    assert shards(tmp_path / "ray") == shards(tmp_path / "here")
