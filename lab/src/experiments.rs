//! The table of experiments. A new one is a folder and two entries here.

use crate::Experiment;

#[path = "../experiments/arcila-boxes/mod.rs"]
mod arcila_boxes;
#[path = "../experiments/arcila-spheres/mod.rs"]
mod arcila_spheres;
#[path = "../experiments/churn/mod.rs"]
mod churn;
#[path = "../experiments/classics/mod.rs"]
mod classics;
#[path = "../experiments/contact-and-dynamics/mod.rs"]
mod contact_and_dynamics;
#[path = "../experiments/deadline/mod.rs"]
mod deadline;
#[path = "../experiments/default-tree/mod.rs"]
mod default_tree;
#[path = "../experiments/early-yes/mod.rs"]
mod early_yes;
#[path = "../experiments/eckstein-10.1/mod.rs"]
mod eckstein_10_1;
#[path = "../experiments/eckstein-10.2/mod.rs"]
mod eckstein_10_2;
#[path = "../experiments/eckstein-costs/mod.rs"]
mod eckstein_costs;
#[path = "../experiments/every-walk/mod.rs"]
mod every_walk;
#[path = "../experiments/garcia-alonso-m/mod.rs"]
mod garcia_alonso_m;
#[path = "../experiments/motionbenchmaker/mod.rs"]
mod motionbenchmaker;
#[path = "../experiments/puma-cell/mod.rs"]
mod puma_cell;
#[path = "../experiments/tolerances/mod.rs"]
mod tolerances;
#[path = "../experiments/uchiki/mod.rs"]
mod uchiki;
#[path = "../experiments/vyatkin/mod.rs"]
mod vyatkin;
#[path = "../experiments/world/mod.rs"]
mod world;

/// The experiment in a folder: its settings and printed figures are part of the program.
macro_rules! experiment {
    ($name:literal, $module:ident, $title:literal, $source:expr, $chapter:literal, $duration:literal) => {
        Experiment {
            name: $name,
            title: $title,
            source: $source,
            chapter: $chapter,
            duration: $duration,
            config: include_str!(concat!("../experiments/", $name, "/config.toml")),
            printed: include_str!(concat!("../experiments/", $name, "/printed.toml")),
            run: $module::run,
        }
    };
}

const ECKSTEIN: &str = "J. Eckstein, Echtzeitfähige Kollisionserkennung für Virtual Reality Anwendungen, dissertation, \
                        Universität des Saarlandes, 1998";

const ARCILA_SPHERES: &str = "Arcila et al., double hierarchies of spheres for convex polyhedra (in Spanish)";
const ARCILA_BOXES: &str = "Arcila et al., double hierarchies of boxes for convex polyhedra (in Spanish)";
const GARCIA_ALONSO: &str = "A. Garcia-Alonso, N. Serrano, J. Flaquer, Solving the collision detection problem, IEEE Computer \
                             Graphics and Applications 14(3), 1994; as surveyed in a Portuguese thesis of 1998";
const UCHIKI: &str =
    "T. Uchiki, T. Ohashi, M. Tokoro, Collision detection in motion simulation, Computers & Graphics 7, 1983";
const VYATKIN: &str =
    "S. I. Vyatkin, collision detection of functionally defined objects (perturbation functions on quadrics)";
const CHAMZAS: &str = "C. Chamzas et al., MotionBenchMaker: a tool to generate and benchmark motion planning datasets, IEEE Robotics \
                       and Automation Letters 7(2), 2022; goals set beforehand";
const OURS: &str = "ours; goals set beforehand";
const SURVEY: &str = "the comparison of five methods in a Portuguese thesis on robot cells, 1998";

pub(crate) const ALL: &[Experiment] = &[
    experiment!(
        "eckstein-costs",
        eckstein_costs,
        "Mean time of one test, by kind of volume",
        ECKSTEIN,
        "10.1, table of costs",
        "5 s"
    ),
    experiment!(
        "eckstein-10.1",
        eckstein_10_1,
        "Every split, degree, volume and walk on four removals",
        ECKSTEIN,
        "10.1, figures D.8 to D.48",
        "30 min"
    ),
    experiment!("default-tree", default_tree, "Which tree Model::new builds, and why", OURS, "none", "10 s"),
    experiment!("every-walk", every_walk, "Every tree and walk against brute force", OURS, "none", "1 min"),
    experiment!(
        "eckstein-10.2",
        eckstein_10_2,
        "Static against dynamic tests over the removals",
        ECKSTEIN,
        "10.2, figures D.49 to D.56; chapter 8",
        "2 min"
    ),
    experiment!(
        "arcila-spheres",
        arcila_spheres,
        "Inner and outer spheres of convex bodies",
        ARCILA_SPHERES,
        "section 5, tables 1 to 3",
        "2 min"
    ),
    experiment!(
        "arcila-boxes",
        arcila_boxes,
        "Inner and outer boxes of convex bodies",
        ARCILA_BOXES,
        "section 8, tables 1 to 3",
        "1 min"
    ),
    experiment!("early-yes", early_yes, "Spheres inside solids as an early yes", OURS, "none", "1 s"),
    experiment!(
        "garcia-alonso-m",
        garcia_alonso_m,
        "How many voxels are best for the four steps",
        GARCIA_ALONSO,
        "four-step method, M = 9",
        "6 min"
    ),
    experiment!(
        "classics",
        classics,
        "The surveyed methods side by side, far and near",
        SURVEY,
        "chapter 3",
        "10 s"
    ),
    experiment!(
        "puma-cell",
        puma_cell,
        "Time per frame against clearance in a robot cell",
        SURVEY,
        "chapters 3 and 6",
        "20 s"
    ),
    experiment!(
        "uchiki",
        uchiki,
        "Space occupancy by resolution: verdicts, memory, misses",
        UCHIKI,
        "space occupancy",
        "20 s"
    ),
    experiment!(
        "vyatkin",
        vyatkin,
        "Objects given by functions: cost, spread, and what sampling misses",
        VYATKIN,
        "whole paper, formulas (1) to (12), figures 2, 3 and 5",
        "2 min"
    ),
    experiment!(
        "world",
        world,
        "What the thesis left unmeasured: time, many bodies, memory, threads",
        OURS,
        "none",
        "2 min"
    ),
    experiment!(
        "deadline",
        deadline,
        "Answers on time in an engine bay of a million triangles",
        OURS,
        "none",
        "1 min"
    ),
    experiment!(
        "tolerances",
        tolerances,
        "How likely parts clash that are off by their tolerances",
        OURS,
        "none",
        "5 s"
    ),
    experiment!(
        "contact-and-dynamics",
        contact_and_dynamics,
        "Bodies slide, screw and fall, proven at every instant",
        OURS,
        "the thesis, 10.3 and 10.4",
        "8 min"
    ),
    experiment!(
        "motionbenchmaker",
        motionbenchmaker,
        "Planning problems of a robot arm, every motion proven",
        CHAMZAS,
        "data set",
        "1 min"
    ),
    experiment!("churn", churn, "Bodies come, move and go for a long time", OURS, "none", "4 min"),
];
