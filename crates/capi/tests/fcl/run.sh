#!/bin/bash
# Compiles the test programs of FCL 0.7.0 against noli/fcl.hpp and runs them.
#   run.sh FCL_SOURCES NOLI_PREFIX WORK [TEST...]
# FCL_SOURCES  a checkout of https://github.com/flexible-collision-library/fcl at tag 0.7.0
# NOLI_PREFIX  where `cargo xtask capi --prefix` installed the library
# WORK         a folder for programs and logs
# Needs a C++ compiler, Eigen 3 and GoogleTest (Debian: libeigen3-dev libgtest-dev). With PEER=1 the same programs are
# compiled against FCL itself as well (Debian: libfcl-dev), and their times are printed next to each other.
set -eu
sources=$(realpath "$1") prefix=$(realpath "$2") work=$3
shift 3
mkdir -p "$work"
work=$(realpath "$work")
cxx=${CXX:-c++}
flags="-std=c++14 -O2 -DNDEBUG -w -I/usr/include/eigen3"
gtest="-DGTEST_DONT_DEFINE_TEST=1 -DGTEST_DONT_DEFINE_FAIL=1 -DGTEST_DONT_DEFINE_SUCCEED=1"
for name in EQ NE LE LT GE GT; do gtest="$gtest -DGTEST_DONT_DEFINE_ASSERT_$name=1"; done

# Every header of FCL that a test names is a line that includes noli/fcl.hpp.
grep -rhoE '#include [<"]fcl/[^">]+' "$sources/test" | sed -E 's/.*[<"]//' | sort -u | while read -r header; do
  mkdir -p "$work/shim/$(dirname "$header")"
  echo '#include <noli/fcl.hpp>' > "$work/shim/$header"
done
mkdir -p "$work/shim/fcl_resources"
echo "#define TEST_RESOURCES_DIR \"$sources/test/fcl_resources\"" > "$work/shim/fcl_resources/config.h"
mkdir -p "$work/peer/fcl_resources"
cp "$work/shim/fcl_resources/config.h" "$work/peer/fcl_resources/config.h"

if [ $# -eq 0 ]; then
  set -- test_fcl_bvh_models test_fcl_collision test_fcl_distance test_fcl_geometric_shapes \
    test_fcl_shape_mesh_consistency test_fcl_signed_distance test_fcl_box_box test_fcl_capsule_box_1 \
    test_fcl_capsule_box_2 test_fcl_capsule_capsule test_fcl_cylinder_half_space test_fcl_sphere_box \
    test_fcl_sphere_capsule test_fcl_sphere_cylinder test_fcl_sphere_sphere test_fcl_general \
    test_fcl_generate_bvh_model_deferred_finalize test_fcl_broadphase_collision_1 test_fcl_broadphase_collision_2 \
    test_fcl_broadphase_distance broadphase/test_broadphase_dynamic_AABB_tree geometry/shape/test_capsule \
    geometry/shape/test_convex
fi

build() { # kind source includes libraries
  local name file
  name=$(basename "$2")
  file="$sources/test/$2.cpp"
  # It reads a private member of FCL's Convex, which has no counterpart: the rest of it is tested.
  if [ "$1 $name" = "noli test_convex" ]; then
    sed -e 's/return convex.find_extreme_via_neighbors_;/return false;/' \
      -e 's/convex->find_extreme_via_neighbors_ = true;//' "$file" > "$work/$name.cpp"
    file="$work/$name.cpp"
  fi
  local utility="$sources/test/test_fcl_utility.cpp"
  # shellcheck disable=SC2086
  $cxx $flags $gtest $3 -I"$sources/test" "$file" "$utility" -o "$work/$1-$name" $4 -lgtest -lpthread \
    > "$work/$1-$name.build" 2>&1
}

run() { # kind name
  local start end
  start=$(date +%s.%N)
  (cd "$work" && timeout "${LIMIT:-600}" "./$1-$2" > "$work/$1-$2.log" 2>&1) || true
  end=$(date +%s.%N)
  local passed total
  passed=$(grep -c '^\[       OK' "$work/$1-$2.log" || true)
  total=$(grep -oE '^\[==========\] Running [0-9]+' "$work/$1-$2.log" | grep -oE '[0-9]+$' || echo 0)
  printf '%s %s %.2f' "$passed" "$((total - passed))" "$(echo "$end - $start" | bc)"
}

printf '%-48s %6s %6s %8s %8s\n' program passed failed noli_s fcl_s
for test in "$@"; do
  name=$(basename "$test")
  if ! build noli "$test" "-I$work/shim -I$prefix/include" "-L$prefix/lib -lnoli_c -Wl,-rpath,$prefix/lib"; then
    printf '%-48s %6s %6s %8s\n' "$name" 0 all "no build"
    continue
  fi
  read -r passed failed seconds <<< "$(run noli "$name")"
  peer=-
  if [ "${PEER:-0}" = 1 ] && build fcl "$test" "-I$work/peer" "-lfcl -lccd -loctomap -loctomath"; then
    read -r _ _ peer <<< "$(run fcl "$name")"
  fi
  printf '%-48s %6s %6s %8s %8s\n' "$name" "$passed" "$failed" "$seconds" "$peer"
done
