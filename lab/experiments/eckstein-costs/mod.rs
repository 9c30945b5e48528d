//! Mean times of the tests of two volumes and of two faces (section 10.1).

use crate::costs::{self, Costs};
use crate::{Cell, Session, Table, Verdict};
use anyhow::Result;
use serde::Deserialize;

#[derive(Deserialize)]
struct Config {
    pairs: usize,
    rounds: usize,
    seed: u64,
}

#[derive(Deserialize)]
struct Printed {
    volumes: [[f64; 3]; 3],
    faces: f64,
}

const KINDS: [&str; 4] = ["sphere", "axis-aligned box", "oriented box", "k-DOP (18)"];

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, printed): (Config, Printed) = (session.config()?, session.printed()?);
    session.step("timing tests");
    let Costs { volumes, meeting, faces } = costs::measure(config.pairs, config.rounds, config.seed);
    let mut table = Table::new(
        "Mean time of one test",
        ["test", "ours, ns", "printed, ns", "printed / ours", "found to meet, %"],
    );
    for i in 0..4 {
        for j in i..4 {
            let ours = 1e9 * volumes[i][j];
            let theirs = printed.volumes.get(i).and_then(|row| row.get(j)).map(|ms| 1e6 * ms);
            table.row(
                format!("{} – {}", KINDS[i], KINDS[j]),
                [
                    Cell::Ours(ours),
                    theirs.map_or(Cell::Text("–".into()), |printed| Cell::Printed { printed }),
                    theirs.map_or(Cell::Text("–".into()), |printed| Cell::Ours(printed / ours)),
                    Cell::Ours(100.0 * meeting[i][j]),
                ],
            );
        }
    }
    let printed_faces = 1e6 * printed.faces;
    table.row(
        "face – face",
        [
            Cell::Ours(1e9 * faces),
            Cell::Printed { printed: printed_faces },
            Cell::Ours(printed_faces / (1e9 * faces)),
            Cell::Text("–".into()),
        ],
    );
    session.table(table);
    let [sphere, obb] = [volumes[0][0], volumes[2][2]].map(|s| 1e9 * s);
    session.finding(
        "A test of spheres is among the cheapest, a test of oriented boxes the dearest",
        Verdict::of((0..3).all(|i| (i..3).all(|j| volumes[0][0] <= volumes[i][j])) && obb > sphere),
        format!("Sphere {sphere:.1} ns, oriented boxes {obb:.1} ns."),
    );
    session.finding(
        "Costs differ by no more than half: 0.0089 to 0.0137 ms",
        Verdict::of(obb < 1.6 * sphere),
        format!(
            "Oriented boxes cost {:.1} times a sphere test here: arithmetic has become cheaper than the calls and memory that dominated then.",
            obb / sphere
        ),
    );
    session.note("The source tests an edge against a face (the base test of its motions); our face test decides two whole triangles exactly.");
    session.note("Axis-aligned boxes of moved bodies are tested by all fifteen axes; the source encloses the second in a box of the first's axes, which is cheaper and passes more pairs.");
    session.note("Our tests round outward: a pair called separate is separate in exact arithmetic.");
    Ok(())
}
