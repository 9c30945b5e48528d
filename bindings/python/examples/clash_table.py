"""The clashes of a generated engine bay as a table."""

import noli

report = noli.check(demo="engine-bay")
print(f"{report.summary['bodies']} bodies, {report.summary['pairs']} pairs, {len(report.hits)} hits")
clashes = [pair for pair in report.hits if pair["relation"] in ("intersecting", "inside")]
print(f"{'A':20} {'B':20} {'relation':14} {'intersecting faces':>18}")
for pair in clashes:
    print(f"{pair['a']:20} {pair['b']:20} {pair['relation']:14} {pair['intersections']:18}")
assert len(clashes) == 6, "four intersections and two containments are planted"
