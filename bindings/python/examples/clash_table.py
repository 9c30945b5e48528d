"""The clashes of a generated engine bay as a table, the deepest first."""

import noli

report = noli.check(demo="engine-bay")
print(f"{report.summary['bodies']} bodies, {report.summary['pairs']} pairs, {len(report.hits)} hits")
clashes = [pair for pair in report.hits if pair["relation"] in ("intersecting", "inside")]
print(f"{'A':20} {'B':20} {'relation':14} {'depth at least':>15} {'at most':>10}")
for pair in clashes:
    depth = pair["depth"]
    print(f"{pair['a']:20} {pair['b']:20} {pair['relation']:14} {depth['at_least']:15.3f} {depth['at_most']:10.3f}")
assert len(clashes) == 6, "four intersections and two containments are planted"
