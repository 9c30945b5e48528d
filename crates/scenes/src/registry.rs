//! All generated assemblies, by name.

use crate::assembly::Assembly;
use crate::didactic::{intersection_boxes, linked_tori, nested_spheres, peg_in_hole, touching_boxes};
use crate::engine_bay::{engine_bay, engine_bay_sealed, engine_bay_turned};
use crate::gearbox::gearbox;
use crate::puzzles;

/// A generated assembly available by name.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// Description in one line.
    pub description: &'static str,
    make: fn(u32) -> Assembly,
}

impl Listed {
    /// The assembly at this level of detail; see [`crate::engine_bay`].
    pub fn make(&self, detail: u32) -> Assembly {
        (self.make)(detail)
    }
}

const fn listed(name: &'static str, description: &'static str, make: fn(u32) -> Assembly) -> Listed {
    Listed { name, description, make }
}

const ALL: &[Listed] = &[
    listed(
        "engine-bay",
        "A crowded engine bay: lamps with covers and bulbs, hoses, cables, battery; planted clashes",
        engine_bay,
    ),
    listed(
        "gearbox",
        "Two gear stages on ball bearings in a split housing; tight clearances, planted clashes",
        gearbox,
    ),
    listed(
        "engine-bay-turned",
        "The engine bay with a cover on a thread and one behind the lugs of a bayonet",
        engine_bay_turned,
    ),
    listed(
        "engine-bay-sealed",
        "The same with a seal through one cover and a stop beside the other: neither comes off",
        engine_bay_sealed,
    ),
    listed("intersecting-boxes", "Two boxes that pass through each other", intersection_boxes),
    listed("touching-boxes", "Two boxes that share part of a wall and no volume", touching_boxes),
    listed(
        "nested-spheres",
        "A sphere within a sphere: as solids one inside the other, as surfaces apart",
        nested_spheres,
    ),
    listed("linked-tori", "Two linked rings that do not touch", linked_tori),
    listed(
        "peg-in-hole",
        "A round peg in a plate's hole, with a twentieth of its radius to spare",
        peg_in_hole,
    ),
    listed(
        "alpha-puzzle",
        "Two tubes like the letter alpha, linked, with an opening where their ends cross",
        puzzles::alpha_puzzle,
    ),
    listed("alpha-tight", "The alpha puzzle with little room at the intersection", puzzles::alpha_tight),
    listed(
        "bugtrap",
        "A pin in a drum with an inward nozzle, three tenths of its radius to spare",
        puzzles::bugtrap,
    ),
    listed(
        "bugtrap-shut",
        "The bug trap with a nozzle through which the pin does not pass",
        puzzles::bugtrap_shut,
    ),
    listed("knotted-tube", "A ring on a knotted rod", puzzles::knotted_tube),
    listed("double-l", "A bar with two bends through the window of a wall", puzzles::double_l),
    listed("flange", "A bent pipe with a flange in the hole of a plate", puzzles::flange),
    listed(
        "bayonet",
        "A cover with two lugs under the lip of a socket: turned, then pulled",
        puzzles::bayonet,
    ),
    listed("threaded", "A cover screwed into a nut", puzzles::threaded),
    listed("past-bracket", "A bulb behind a bracket in a deep lamp", puzzles::past_bracket),
];

/// All generated assemblies, the largest first.
pub fn list() -> &'static [Listed] {
    ALL
}

/// The generated assembly of this name at this level of detail.
pub fn assembly(name: &str, detail: u32) -> Option<Assembly> {
    list().iter().find(|listed| listed.name == name).map(|listed| listed.make(detail))
}
