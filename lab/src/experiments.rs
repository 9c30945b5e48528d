//! The table of experiments. A new one is a folder and two entries here.

use crate::Experiment;

#[path = "../experiments/eckstein-costs/mod.rs"]
mod eckstein_costs;

/// The experiment in a folder: its settings and printed figures are part of the program.
macro_rules! experiment {
    ($name:literal, $module:ident, $title:literal, $source:expr) => {
        Experiment {
            name: $name,
            title: $title,
            source: $source,
            config: include_str!(concat!("../experiments/", $name, "/config.toml")),
            printed: include_str!(concat!("../experiments/", $name, "/printed.toml")),
            run: $module::run,
        }
    };
}

const ECKSTEIN: &str = "J. Eckstein, Echtzeitfähige Kollisionserkennung für Virtual Reality Anwendungen, dissertation, \
                        Universität des Saarlandes, 1998";

pub(crate) const ALL: &[Experiment] =
    &[experiment!("eckstein-costs", eckstein_costs, "Mean time of one test, by kind of volume", ECKSTEIN)];
