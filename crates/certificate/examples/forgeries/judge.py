"""judge.py FOLDER [PROCESSES]: the verdicts of the checker in Python on forged and on true certificates of `forgeries`."""

import collections
import glob
import multiprocessing
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "checkers" / "python"))

from noli_checker.check import check_file  # noqa: E402


def judge(path):
    try:
        report = check_file(path)
    except Exception as error:
        return path, f"{type(error).__name__}: {error}"
    return path, report.get("error", {}).get("code", "valid")


def main():
    paths = sorted(glob.glob(os.path.join(sys.argv[1], "*.cert")))
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    codes, wrong = {"forged": collections.Counter(), "true": collections.Counter()}, 0
    with multiprocessing.Pool(processes) as pool:
        for path, code in pool.imap_unordered(judge, paths, 64):
            kind = os.path.basename(path).split()[0]
            codes[kind][code] += 1
            if (code == "valid") != (kind == "true") or not (code == "valid" or code.startswith("E-")):
                wrong += 1
                print(f"{path}: {code}")
    for kind, found in codes.items():
        print(kind, sum(found.values()), dict(found.most_common()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
