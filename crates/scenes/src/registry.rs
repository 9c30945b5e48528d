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

/// All generated assemblies, the largest first.
pub fn list() -> &'static [Listed] {
    &[
        Listed {
            name: "engine-bay",
            description: "A crowded engine bay: lamps with covers and bulbs, hoses, cables, battery; planted clashes",
            make: engine_bay,
        },
        Listed {
            name: "gearbox",
            description: "Two gear stages on ball bearings in a split housing; tight clearances, planted clashes",
            make: gearbox,
        },
        Listed {
            name: "engine-bay-turned",
            description: "The engine bay with a cover on a thread and one behind the lugs of a bayonet",
            make: engine_bay_turned,
        },
        Listed {
            name: "engine-bay-sealed",
            description: "The same with a seal through one cover and a stop beside the other: neither comes off",
            make: engine_bay_sealed,
        },
        Listed {
            name: "intersecting-boxes",
            description: "Two boxes that pass through each other",
            make: intersection_boxes,
        },
        Listed {
            name: "touching-boxes",
            description: "Two boxes that share part of a wall and no volume",
            make: touching_boxes,
        },
        Listed {
            name: "nested-spheres",
            description: "A sphere within a sphere: as solids one inside the other, as surfaces apart",
            make: nested_spheres,
        },
        Listed { name: "linked-tori", description: "Two linked rings that do not touch", make: linked_tori },
        Listed {
            name: "peg-in-hole",
            description: "A round peg in a plate's hole, with a twentieth of its radius to spare",
            make: peg_in_hole,
        },
        Listed {
            name: "alpha-puzzle",
            description: "Two tubes like the letter alpha, linked, with an opening where their ends cross",
            make: puzzles::alpha_puzzle,
        },
        Listed {
            name: "alpha-tight",
            description: "The alpha puzzle with little room at the intersection",
            make: puzzles::alpha_tight,
        },
        Listed {
            name: "bugtrap",
            description: "A pin in a drum with an inward nozzle, three tenths of its radius to spare",
            make: puzzles::bugtrap,
        },
        Listed {
            name: "bugtrap-shut",
            description: "The bug trap with a nozzle through which the pin does not pass",
            make: puzzles::bugtrap_shut,
        },
        Listed { name: "knotted-tube", description: "A ring on a knotted rod", make: puzzles::knotted_tube },
        Listed {
            name: "double-l",
            description: "A bar with two bends through the window of a wall",
            make: puzzles::double_l,
        },
        Listed {
            name: "flange",
            description: "A bent pipe with a flange in the hole of a plate",
            make: puzzles::flange,
        },
        Listed {
            name: "bayonet",
            description: "A cover with two lugs under the lip of a socket: turned, then pulled",
            make: puzzles::bayonet,
        },
        Listed { name: "threaded", description: "A cover screwed into a nut", make: puzzles::threaded },
        Listed {
            name: "past-bracket",
            description: "A bulb behind a bracket in a deep lamp",
            make: puzzles::past_bracket,
        },
    ]
}

/// The generated assembly of this name at this level of detail.
pub fn assembly(name: &str, detail: u32) -> Option<Assembly> {
    list().iter().find(|listed| listed.name == name).map(|listed| listed.make(detail))
}
