"""python3 -m noli_checker FILE [--files FOLDER] [--urdf FILE] [--jobs N]"""

import argparse
import json
import sys

from .check import check_file

CODES = {"valid": 0, "invalid": 1, "unreadable": 2}


def main():
    parser = argparse.ArgumentParser(prog="noli_checker", description="Checks a certificate of collision queries.")
    parser.add_argument("file")
    parser.add_argument("--files", metavar="FOLDER", help="compare the source files in this folder")
    parser.add_argument("--urdf", metavar="FILE", help="compare links and bodies with a URDF")
    parser.add_argument("--jobs", type=int, default=1, help="check items in so many processes")
    options = parser.parse_args()
    report = check_file(options.file, options.files, options.urdf, options.jobs)
    print(json.dumps(report))
    return CODES[report["verdict"]]


if __name__ == "__main__":
    sys.exit(main())
