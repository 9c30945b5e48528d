//! The changes of code, row by row.

use super::{Batch, Mutant, Target};

const fn of(
    batch: Batch,
    row: &'static str,
    file: &'static str,
    [find, replace]: [&'static str; 2],
    test: &'static str,
) -> Mutant {
    Mutant { row, batch, file, find, replace, test }
}

const fn lib(number: u8) -> Batch {
    Batch { folder: "classics", target: Target::Lib, number }
}

const fn suite(number: u8) -> Batch {
    Batch { folder: "classics", target: Target::Suite, number }
}

const fn geom(number: u8) -> Batch {
    Batch { folder: "geom", target: Target::Suite, number }
}

const IMPLICIT: Batch = Batch { folder: "implicit", target: Target::Suite, number: 1 };
const DISTANCE: &str = "src/volume/distance.rs";

pub(super) const MUTANTS: &[Mutant] = &[
    of(
        lib(1),
        "H8 quality of levels",
        "src/tree/quality.rs",
        ["if parents.is_empty() { mean } else { siblings }", "mean"],
        "means_differ_where_groups_are_unequal",
    ),
    of(
        lib(3),
        "H12 heterogeneous tree",
        "src/tree/fit.rs",
        [" * rules.cost(v.kind())", ""],
        "a_dear_kind_is_not_chosen",
    ),
    of(
        lib(2),
        "H13 generic top-down",
        "src/tree/split/mod.rs",
        ["Failing::Leaf => None,", "Failing::Leaf => Some(Vec::new()),"],
        "a_split_that_fails_leaves_a_leaf_as_printed",
    ),
    of(
        lib(1),
        "H15 improvement rate",
        "src/tree/split/mod.rs",
        ["if quality <= goal {", "if quality <= goal && degree > 2 {"],
        "the_smallest_degree_that_reaches_the_rate_is_taken",
    ),
    of(
        lib(2),
        "H16 branch & bound",
        "src/tree/split/branch_bound.rs",
        ["if parent.lower >= self.best() {", "if parent.lower >= 0.5 * self.best() {"],
        "equals_exhaustive_search",
    ),
    of(
        lib(3),
        "H17 mod. Hochbaum–Shmoys",
        "src/tree/split/exchange.rs",
        ["if first { distance } else { known.min(distance) }", "distance"],
        "greedy_radii_are_at_most_twice_the_best",
    ),
    of(
        lib(3),
        "H18 heuristic without intermediate optimisation",
        "src/tree/split/exchange.rs",
        ["const PASSES: usize = 32;", "const PASSES: usize = 0;"],
        "exchange_ends_where_no_face_is_nearer_elsewhere",
    ),
    of(
        lib(3),
        "H19 with int. opt.",
        "src/tree/split/growth.rs",
        [
            "match problem.rules.trial {\n            Trial::Enlarged => grown",
            "match Trial::Enlarged {\n            Trial::Enlarged => grown",
        ],
        "fitted_trials_are_the_greedy_search_written_out",
    ),
    of(
        lib(1),
        "H22 original Gottschalk variants",
        "src/tree/split/planes.rs",
        ["hull.vertices().iter().sum::<DVec3>() / hull.vertices().len() as f64", "around.center"],
        "original_cuts_are_where_they_are_said_to_be",
    ),
    of(
        suite(1),
        "H24 original Zachmann",
        "src/tree/copies.rs",
        ["along.iter().any(|x| *x > at) || along", "along.iter().all(|x| *x > at) || along"],
        "faces_in_several_leaves_lose_nothing",
    ),
    of(
        suite(1),
        "H25 baselines",
        "src/tree/octants.rs",
        ["sides.iter_mut().for_each(|side| side.push(point));", "sides[0].push(point);"],
        "spheres_of_octants_and_of_the_medial_axis_hold_the_surface",
    ),
    of(
        suite(2),
        "H25 baselines",
        "src/tree/meet.rs",
        [
            "if self.tested.as_mut().is_some_and(|tested| !tested.insert((*number_a, *number_b))) {",
            "if self.tested.as_mut().is_some_and(|_| false) {",
        ],
        "pairs_of_faces_in_several_leaves_are_tested_once",
    ),
    of(
        lib(1),
        "H33 Hubbard's exact formula",
        "src/tree/hausdorff/mod.rs",
        ["if inside { sphere.radius - off } else { sphere.radius + off }", "sphere.radius - off"],
        "hubbard_s_formula_agrees_with_the_refinement",
    ),
    of(
        geom(1),
        "H35 sphere–sphere, sphere–box",
        DISTANCE,
        ["(local.abs() - obb.half_extents).max(DVec3::ZERO)", "local.abs() - obb.half_extents"],
        "distances_of_spheres_and_boxes_are_their_distances",
    ),
    of(
        geom(2),
        "H36 iso–iso, 3 intervals",
        DISTANCE,
        ["- a.half_extents - turned * b.half_extents)", "- a.half_extents - b.half_extents)"],
        "boxes_along_the_axes_are_compared_by_three_intervals",
    ),
    of(
        geom(1),
        "H37 box–box 15 axes",
        DISTANCE,
        ["edges.fold(distance, f64::max)", "edges.fold(distance, |most, _| most)"],
        "edges_part_what_faces_do_not",
    ),
    of(
        lib(2),
        "H44 hybrid",
        "src/tree/volumes.rs",
        ["kinds.map(|kind| rules.cost(kind)).sum()", "kinds.map(|_| 1.0).sum()"],
        "expansion_costs_the_tests_of_the_children",
    ),
    of(
        lib(1),
        "H44 hybrid",
        "src/tree/expansion.rs",
        ["} else if one <= two {", "} else if one < two {"],
        "a_tie_of_the_sides_opens_the_first",
    ),
    of(
        lib(1),
        "D21 sweep and prune",
        "src/broad.rs",
        ["            if grows {", "            if true {"],
        "moved_lists_are_those_made_anew",
    ),
    of(
        lib(2),
        "D25 alternatives",
        "src/broad.rs",
        ["boxes[j as usize].max[second] >= low(i)", "boxes[j as usize].max[second] > low(i)"],
        "every_partition_finds_all_pairs",
    ),
    of(
        lib(3),
        "D25 alternatives",
        "src/interval_tree.rs",
        ["range((low, 0)..)", "range((low + 1, 0)..)"],
        "every_partition_finds_all_pairs",
    ),
    of(
        lib(1),
        "S16 indicator pair",
        "src/tree/meet.rs",
        ["list.iter().min_by(|x, y| sum(x)", "list.iter().max_by(|x, y| sum(x)"],
        "the_indicator_is_the_least_of_any_list",
    ),
    of(
        lib(2),
        "Kinds solid / surface / **container**",
        "src/boyse/mod.rs",
        ["Self::AInsideB => b == BodyKind::Solid,", "Self::AInsideB => a == BodyKind::Solid,"],
        "containers_hold_what_solids_do_not",
    ),
    of(
        lib(1),
        "Wake-up queue",
        "src/schedule.rs",
        ["2.0 * distance / (v + (v * v + 2.0 * a * distance).sqrt())", "distance / (v + a)"],
        "times_are_those_of_the_formula",
    ),
    of(
        lib(1),
        "Sobol points",
        "src/fields/sobol.rs",
        ["(_, 1) => 3 << 30,", "(_, 1) => 1 << 30,"],
        "points_fill_the_cube_evenly",
    ),
    of(
        lib(2),
        "Spiral quadratic search",
        "src/fields/sobol.rs",
        ["self.spiral(point, value, query.tolerance)", "None"],
        "every_start_is_searched_as_published",
    ),
    of(
        lib(1),
        "(9)-(12) criterion",
        "src/fields/polynomial.rs",
        ["weighted(upto, 1, half)", "weighted(upto, 2, half)"],
        "a_sign_holds_on_the_whole_box",
    ),
    of(
        lib(2),
        "Truncation and remainder",
        "src/fields/polynomial.rs",
        [" - remainder - noise;", " - noise;"],
        "a_series_cut_off_proves_nothing_without_its_remainder",
    ),
    of(
        lib(1),
        "Functions of time",
        "src/fields/timed.rs",
        ["\"t = {time:?}\\n{text}\"", "\"t = 0\\n{text}\""],
        "growing_spheres_collide_from_their_frame_on",
    ),
    of(
        IMPLICIT,
        "Inclusions: interval, affine",
        "src/evaluation/affine.rs",
        [" + a.radius() * b.radius();", ";"],
        "enclosures_hold_the_exact_value",
    ),
];
