#!/bin/bash
# All campaigns of one seed: run.sh PROGRAM DATA OUT [SEED] [THREADS] [SCALE]
#
# PROGRAM: the campaign, from `cargo build --release -p noli-certificate --example campaign`
#          (target/release/examples/campaign). DATA: a folder with `robots` and `ifc` of the published data.
# OUT: a folder for the reports. Other seeds draw other cases, so that several machines share the work.
# SCALE 100 makes 10^5 static pairs and 10^4 edges; a certificate has 2 to 700 mutants, the fewer the larger it is.
set -u
program=$1 data=$2 out=$3 seed=${4:-1} threads=${5:-$(nproc)} scale=${6:-100}
mkdir -p "$out"
robots=$data/robots
panda="$robots/moveit_resources_panda_description/urdf/panda.urdf $robots/moveit_resources_panda_description/srdf/panda.srdf"
ur5="$robots/ur5_robotiq85/ur5.urdf $robots/ur5_robotiq85/ur5.srdf"
puma=$(ls "$robots"/puma560_description/urdf/*.urdf | head -n 1)
failed=0
TIMEFORMAT='%U s of processor time'
campaign() { # name, words...
    local name=$1
    shift
    { time "$program" "$@" --seed "$seed" --threads "$threads"; } > "$out/$name-$seed.txt" 2>&1 ||
        { failed=1; echo "$name: FAILED"; }
    sed "s/^/$name: /" "$out/$name-$seed.txt"
}
campaign poses poses --count $((200 * scale)) --mutations 10
for gap in 0.1 0.01 0.001 0.0001; do
    campaign gap-$gap poses --gap $gap --count $((20 * scale)) --mutations 2
done
campaign polycubes polycubes --count $((720 * scale)) --mutations 700 --exact
campaign building world "$data/ifc/pcert-building.obj" --mutations 50
campaign large-building world "$data/ifc/largebuilding.obj" --mutations 50
campaign panda-cage edges $panda --packages "$robots" --cage --count $((40 * scale)) --mutations 100
campaign panda edges $panda --packages "$robots" --count $((20 * scale)) --mutations 100 --exact
campaign ur5-cage edges $ur5 --packages "$robots" --cage --count $((20 * scale)) --mutations 100
campaign puma-cage edges "$puma" --packages "$robots" --cage --count $((20 * scale)) --mutations 100
campaign panda-pairs pairs $panda --packages "$robots"
campaign ur5-pairs pairs $ur5 --packages "$robots"
campaign puma-pairs pairs "$puma" --packages "$robots"
exit $failed
