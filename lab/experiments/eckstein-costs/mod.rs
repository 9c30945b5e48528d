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
    let Costs { volumes, meeting, faces, edge_faces } =
        costs::measure(config.pairs, config.rounds, config.seed);
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
    for (name, ours, theirs) in
        [("edge – face", edge_faces, Some(printed_faces)), ("face – face, exact", faces, None)]
    {
        let ours = 1e9 * ours;
        table.row(
            name,
            [
                Cell::Ours(ours),
                theirs.map_or(Cell::Text("–".into()), |printed| Cell::Printed { printed }),
                theirs.map_or(Cell::Text("–".into()), |printed| Cell::Ours(printed / ours)),
                Cell::Text("–".into()),
            ],
        );
    }
    session.table(table);
    let [sphere, obb] = [volumes[0][0], volumes[2][2]].map(|s| 1e9 * s);
    let pairs = || (0..3).flat_map(|i| (i..3).map(move |j| (i, j)));
    let cheapest = pairs().all(|(i, j)| volumes[0][0] <= 1.05 * volumes[i][j]);
    // Another measurement differs by as much.
    let dearest = pairs().all(|(i, j)| volumes[i][j] <= 1.05 * volumes[2][2]);
    session.finding(
        "A test of spheres is among the cheapest, a test of oriented boxes the dearest",
        match (cheapest, dearest) {
            (true, true) => Verdict::Confirmed,
            (false, false) => Verdict::Refuted,
            _ => Verdict::Partly,
        },
        format!(
            "Spheres {sphere:.1} ns, axis-aligned boxes {:.1} ns, axis-aligned and oriented {:.1} ns, oriented boxes {obb:.1} ns.",
            1e9 * volumes[1][1],
            1e9 * volumes[1][2]
        ),
    );
    session.finding(
        "Costs differ by no more than half: 0.0089 to 0.0137 ms",
        Verdict::of(obb < 1.6 * sphere),
        format!(
            "Oriented boxes cost {:.1} times a sphere test here: arithmetic has become cheaper than the calls and memory that dominated then.",
            obb / sphere
        ),
    );
    session.note("The base test of the source is an edge against a face, of which two triangles need six; our face test decides two whole triangles exactly.");
    session.note("Axis-aligned boxes of moved bodies are tested as published, by three intervals; an axis-aligned against an oriented box by fifteen axes.");
    session.note("Our tests round outward: a pair called separate is separate in exact arithmetic.");
    Ok(())
}
