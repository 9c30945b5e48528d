"""sample.py CHECKER VERIFY KEPT ROWS SEED PROCESSES SECONDS: kept certificates, and changed ones, with the checker in Python.

Every certificate of KEPT/*/ must be accepted within SECONDS, those that take longer are counted as not checked. Changed
ones must get a verdict, never an exception, and what is accepted must be accepted by VERIFY too: those that the campaign
has kept, with the verdict of VERIFY as the ending of their names, and those of more kinds that are changed here.
"""

import glob
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time

CHECKER, VERIFY, KEPT, ROWS = sys.argv[1:5]
SEED, PROCESSES, SECONDS = int(sys.argv[5]), int(sys.argv[6]), float(sys.argv[7])
sys.path.insert(0, CHECKER)

from noli_checker.check import check_bytes, check_file  # noqa: E402


def whole(path):
    begun = time.process_time()
    report = check_file(path)
    return path, report["verdict"], len(report["statements"]), time.process_time() - begun, report.get("error")


def judge(task):
    """Returns the counts of `mutate` for some kept changed certificates."""
    paths, until = task
    counts = [0, 0, 0, 0]
    for path in paths:
        if time.time() > until:
            break
        counts[0] += 1
        try:
            verdict = check_bytes(open(path, "rb").read())["verdict"]
        except Exception as error:
            counts[2] += 1
            print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        counts[1] += verdict == "valid"
        if (verdict == "valid") != path.endswith(".valid"):
            counts[3] += 1
            print(f"{path}: {verdict} in Python", file=sys.stderr)
    return counts


def changed(data, draw):
    data = bytearray(data)
    at = draw.randrange(len(data))
    end = at + draw.randrange(1, 17)
    kind = draw.randrange(6)
    if kind < 2:
        data[at] ^= 1 << draw.randrange(8)
    elif kind == 2:
        data[at] = draw.randrange(256)
    elif kind == 3:
        del data[at:end]
    elif kind == 4:
        data[at:at] = data[draw.randrange(len(data)) :][:16]
    else:
        del data[at:]
    return bytes(data)


def mutate(task):
    """Returns the number of changed certificates, of accepted ones, of exceptions and of differing verdicts."""
    path, number, until = task
    import gzip

    draw = random.Random(f"{SEED} {path} {number}")
    packed = open(path, "rb").read()
    data = gzip.decompress(packed)
    counts = [0, 0, 0, 0]
    for k in range(50):
        if time.time() > until:
            break
        # One in eight is changed as it is packed.
        other = changed(packed if k % 8 == 7 else data, draw)
        counts[0] += 1
        try:
            verdict = check_bytes(other)["verdict"]
        except Exception as error:
            counts[2] += 1
            print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        counts[1] += verdict == "valid"
        with tempfile.NamedTemporaryFile(suffix=".cert") as file:
            file.write(other)
            file.flush()
            theirs = subprocess.run([VERIFY, file.name, "--threads", "1"], capture_output=True).returncode
        if theirs not in (0, 1, 2) or (theirs == 0) != (verdict == "valid"):
            counts[3] += 1
            print(f"{path}: {verdict} in Python, exit code {theirs} in Rust", file=sys.stderr)
    return counts


def main():
    files = sorted(glob.glob(os.path.join(KEPT, "*", "*.cert")), key=os.path.getsize)
    rows, failed, begun = {}, False, time.time()
    with multiprocessing.Pool(PROCESSES) as pool:
        until = time.time() + SECONDS
        small = [path for path in files if os.path.getsize(path) < 30_000]
        # Small certificates first, then changed ones, then the large: a share of the time for each.
        waiting = [(path, pool.apply_async(whole, (path,))) for path in small]
        kept = sorted(set(glob.glob(os.path.join(KEPT, "*", "*"))) - set(files))
        random.Random(SEED).shuffle(kept)
        fuzz = [pool.apply_async(judge, ((kept[k : k + 20], until),)) for k in range(0, len(kept), 20)]
        fuzz += [pool.apply_async(mutate, ((path, n, until - SECONDS / 2),)) for n in range(40) for path in small]
        waiting += [(path, pool.apply_async(whole, (path,))) for path in files if path not in small]
        for path, result in waiting:
            kind = os.path.basename(os.path.dirname(path))
            row = rows.setdefault(kind, [0, 0, 0, 0.0])
            try:
                _, verdict, statements, seconds, error = result.get(max(0.1, until - time.time()))
            except multiprocessing.TimeoutError:
                print(f"{kind}: {os.path.basename(path)}: not checked, no time")
                continue
            row[0] += 1
            row[1] += verdict == "valid"
            row[2] += statements
            row[3] += seconds
            if verdict != "valid":
                failed = True
                print(f"{path}: {verdict}: {error}")
        sums = [0, 0, 0, 0]
        for result in fuzz:
            try:
                sums = [a + b for a, b in zip(sums, result.get(max(0.1, until + 20 - time.time())))]
            except multiprocessing.TimeoutError:
                pass
        pool.terminate()
    with open(ROWS, "w") as out:
        for kind, row in rows.items():
            if row[0]:
                out.write("\t".join([kind, *map(str, row)]) + "\n")
    checked = [sum(row[k] for row in rows.values()) for k in (0, 1, 2)]
    print(f"checker A: {checked[0]} of {len(files)} certificates with {checked[2]} statements checked, {checked[1]} accepted")
    print(f"checker A: {sums[0]} changed certificates, {sums[1]} accepted, {sums[2]} exceptions, {sums[3]} verdicts unlike B's")
    print(f"checker A: {time.time() - begun:.0f} s on {PROCESSES} processes")
    return 1 if failed or sums[2] or sums[3] else 0


if __name__ == "__main__":
    sys.exit(main())
