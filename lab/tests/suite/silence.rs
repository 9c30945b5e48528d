//! A command that ends with 0 has visited all its inputs.

use crate::support::altered::{Command, Subject, WEDGE, count, each_looked_at_something};

const FALL: &str = "1,4,1,4,3,1\n0,1,0,1,0,1\n1,1,0,1,0,1\n0,1,1,1,0,1\n1,4,1,4,1,1\n0,1,0,1,0,1\n1,1,0,1,0,1\n0,1,1,1,0,1\n";

const SUBJECTS: &[Subject] = &[
    Subject {
        name: "meshes",
        files: &[("wedge.obj", WEDGE), ("other.obj", WEDGE)],
        names: &["wedge"],
        commands: &[Command {
            words: &["tree", "@wedge.obj", "@other.obj", "--json"],
            looked_at: |report, _| {
                let trees = report["trees"].as_array().map_or(&[][..], Vec::as_slice);
                assert_eq!(trees.len(), 2, "{report}");
                trees.iter().map(|tree| count(&tree["faces"])).min().unwrap_or(0)
            },
        }],
        in_order: false,
    },
    Subject {
        name: "queries",
        files: &[("falls-vf.csv", FALL)],
        names: &[],
        commands: &[Command {
            words: &["ccd", "@falls-vf.csv", "--json"],
            looked_at: |report, _| count(&report["total"]["queries"]),
        }],
        in_order: false,
    },
];

#[test]
fn exit_code_0_means_that_every_command_looked_at_something() {
    each_looked_at_something(SUBJECTS);
}
