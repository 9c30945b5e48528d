#!/bin/bash
# All campaigns of one seed: run.sh BIN DATA OUT [SEED] [THREADS] [SCALE] [SECONDS]
#
# BIN:  a folder with the programs `campaign` (or `examples/campaign`), `noli-verify` and, for programs, `noli`:
#       cargo build --release -p noli-certificate --example campaign -p noli-cli -p noli-verify --bins; target/release
# DATA: a folder with `robots`, `ifc`, `meshes`, `cad` and `planning` of the published data.
# OUT:  a folder for the reports. Other seeds draw other cases, so that several machines share the work.
# SCALE 100 asks for 10^5 static pairs, 10^4 free edges, 100 plans and 10^6 changed certificates. No campaign starts a batch
# beyond its share of SECONDS (480): what the time left out is reported. The checker in Python (checkers/python, or
# CHECKER_A) takes a sample of certificates of every kind and of changed ones, for CHECKER_A_SECONDS (an eighth of SECONDS);
# without python3 that is left out. It is slow: `CHECKER_A_SECONDS=900 run.sh BIN DATA OUT 3 1 1 60` is mostly its sample.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd) data=$(cd "$2" && pwd)
mkdir -p "$3" && out=$(cd "$3" && pwd)
seed=${4:-1} threads=${5:-$(nproc)} scale=${6:-100} total=${7:-480}
program=$bin/campaign
[ -x "$program" ] || program=$bin/examples/campaign
rows=$out/rows.tsv rows_a=$out/rows-a.tsv
rm -rf "$out/kept" && mkdir -p "$out/kept" && : > "$rows" && : > "$rows_a"
robots=$data/robots
panda="$robots/moveit_resources_panda_description/urdf/panda.urdf $robots/moveit_resources_panda_description/srdf/panda.srdf"
ur5="$robots/ur5_robotiq85/ur5.urdf $robots/ur5_robotiq85/ur5.srdf"
puma=$(ls "$robots"/puma560_description/urdf/*.urdf | head -n 1)
failed=0
begun=$(date +%s)
at_least() { echo $(($1 > $2 ? $1 : $2)); }
campaign() { # name, seconds of 480, kept certificates, words...
    local name=$1 seconds kept=$3
    seconds=$(at_least 1 $(($2 * total / 480)))
    shift 3
    "$program" "$@" --seed "$seed" --threads "$threads" --seconds "$seconds" --name "$name" --row "$rows" \
        --keep "$out/kept/$name" --kept "$kept" --kept-changed 50 > "$out/$name-$seed.txt" 2>&1 || { failed=1; echo "$name: FAILED"; }
    echo "$name: $(($(date +%s) - begun)) s"
    sed "s/^/    /" "$out/$name-$seed.txt"
}

# Boxes: name, lowest and highest coordinates.
boxes() {
    awk '{ n = 8 * (NR - 1); print "o " $1
        for (k = 0; k < 8; k++) print "v", $(k % 2 ? 5 : 2), $(int(k / 2) % 2 ? 6 : 3), $(k > 3 ? 7 : 4)
        split("1 3 2 2 3 4 5 6 7 6 8 7 1 2 5 2 6 5 3 7 4 4 7 8 1 5 3 3 5 7 2 4 6 4 8 6", f, " ")
        for (k = 1; k <= 36; k += 3) print "f", f[k] + n, f[k + 1] + n, f[k + 2] + n }'
}
# A table under the robots with a box on it, and pillars around a large one.
boxes > "$out/table.obj" << 'BOXES'
slab -0.9 -0.9 -0.08 0.9 0.9 -0.03
box 0.45 -0.1 -0.02 0.65 0.1 0.2
BOXES
boxes > "$out/pillars.obj" << 'BOXES'
pillar1 0.75 -0.05 0 0.85 0.05 1.4
pillar2 0.35 0.64 0 0.45 0.74 1.4
pillar3 -0.45 0.64 0 -0.35 0.74 1.4
pillar4 -0.85 -0.05 0 -0.75 0.05 1.4
pillar5 -0.45 -0.74 0 -0.35 -0.64 1.4
pillar6 0.35 -0.74 0 0.45 -0.64 1.4
BOXES
rm -rf "$out/parts" && mkdir -p "$out/parts"
find "$data/cad" "$data/meshes" -type f -size -250k \( -name '*.obj' -o -name '*.off' -o -iname '*.stl' \) \
    -exec cp {} "$out/parts/" \;

campaign poses 40 1 poses --count $((10 * scale)) --mutations 2
for gap in 0.1 0.01 0.001 0.0001; do
    campaign gap-$gap 10 0 poses --gap $gap --count $((10 * scale)) --mutations 1
done
campaign polycubes 100 24 polycubes --count $((900 * scale)) --batch 8 --mutations 105 --exact
campaign nested 20 24 nested --count $((80 * scale)) --batch 8 --mutations 105 --exact
campaign parts 40 2 parts "$out/parts" --count $((100 * scale)) --batch 20 --mutations 20
campaign building 15 1 world "$data/ifc/pcert-building.obj" --mutations $((scale / 4))
campaign large-building 15 0 world "$data/ifc/largebuilding.obj" --mutations $((scale / 4))
campaign panda-cage 25 2 edges $panda --packages "$robots" --cage --count $((40 * scale)) --mutations 60
campaign panda-table 25 1 edges $panda --packages "$robots" --around "$out/table.obj" --count $((50 * scale)) --mutations 60
campaign ur5-cage 15 1 edges $ur5 --packages "$robots" --cage --count $((20 * scale)) --mutations 20
campaign ur5-table 20 1 edges $ur5 --packages "$robots" --around "$out/table.obj" --count $((32 * scale)) --mutations 20
campaign puma-cage 15 1 edges "$puma" --packages "$robots" --around "$out/pillars.obj" --count $((32 * scale)) --mutations 60
campaign puma-table 15 1 edges "$puma" --packages "$robots" --around "$out/table.obj" --count $((40 * scale)) --mutations 60
campaign plans 30 2 plans "$data/planning/motionbenchmaker" $panda --packages "$robots" --count "$scale" --mutations 10
campaign panda-pairs 30 1 pairs $panda --packages "$robots" --mutations 1
campaign ur5-pairs 15 1 pairs $ur5 --packages "$robots" --mutations 1
campaign puma-pairs 15 1 pairs "$puma" --packages "$robots" --mutations 1
campaign removals 25 3 removals --count $((3 * scale)) --mutations 20

# Programs through the command line: what it writes, the checker alone accepts.
[ -x "$bin/noli" ] || echo "programs: not run, there is no noli"
for cell in magazine magazine-clash magazine-graze; do
    [ -x "$bin/noli" ] || break
    mkdir -p "$out/kept/programs"
    file=$out/kept/programs/$cell.cert
    "$bin/noli" robot run --demo "$cell" --no-profile --certificate "$file" > "$out/$cell.txt" 2>&1
    "$bin/noli-verify" "$file" > "$out/$cell.json" || { failed=1; echo "program $cell: FAILED"; }
    echo "program $cell: $(wc -c < "$file") bytes, $(head -c 20 "$out/$cell.json")"
done

checker=${CHECKER_A:-$here/checkers/python}
[ -d "$checker" ] || checker=$here/../../../../checkers/python
if command -v python3 > /dev/null && [ -d "$checker" ]; then
    python3 "$here/sample.py" "$checker" "$bin/noli-verify" "$out/kept" "$rows_a" "$seed" "$threads" \
        "${CHECKER_A_SECONDS:-$((60 * total / 480))}" | tee "$out/checker-a.txt"
    [ "${PIPESTATUS[0]}" = 0 ] || { failed=1; echo "checker A: FAILED"; }
else
    echo "checker A: not run, there is no python3"
fi
echo
"$program" table "$rows" "$rows_a" | tee "$out/table.md"
echo "$(($(date +%s) - begun)) s on $threads threads; $([ $failed = 0 ] && echo "nothing failed" || echo "SOMETHING FAILED")"
exit $failed
