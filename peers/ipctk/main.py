"""ipctk's continuous collision queries on features: `ipctk ccd KIND METHOD`, see ../README.md.

Queries come on standard input, 24 little-endian f64 each: four points at the start, four at the end.
Settings are ipctk's defaults (tolerance 1e-6, 10^7 iterations).
"""

import sys
from time import perf_counter

import ipctk
import numpy


def main(arguments):
    if arguments[:1] != ["ccd"]:
        print(f"peer ipctk {ipctk.__version__} 0.0")
        print("unsupported feature queries only: ipctk ccd vertex-face|edge-edge tight-inclusion|additive")
        return 0
    _, kind, method = arguments
    engine = {"tight-inclusion": ipctk.TightInclusionCCD, "additive": ipctk.AdditiveCCD}[method]()
    ask = {"vertex-face": engine.point_triangle_ccd, "edge-edge": engine.edge_edge_ccd}[kind]
    queries = numpy.frombuffer(sys.stdin.buffer.read(), dtype="<f8").reshape(-1, 8, 3)
    print(f"peer ipctk {ipctk.__version__}")
    if len(queries):
        ask(*queries[0])  # to warm up
    lines = []
    for points in queries:
        points = list(points)
        start = perf_counter()
        hit, time = ask(*points)
        micros = (perf_counter() - start) * 1e6
        lines.append(f"{int(hit)} {time if hit else 1.0!r} {micros:.3f}")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
