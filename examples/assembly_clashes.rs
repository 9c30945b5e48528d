//! Clash detection in a generated engine bay: every pair of 52 parts, with relations compared to the planted ones.

use noli::world::{CheckOptions, PairStatus};
use noli::{Model, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let assembly = noli_scenes::assembly("engine-bay", 1).ok_or("there is no such assembly")?;
    let mut world = World::default();
    for part in &assembly.parts {
        world.add(part.name.clone(), &Model::from(&part.mesh), part.pose)?;
    }
    let result = world.check(&CheckOptions::default())?;
    println!("{} bodies, {} pairs", assembly.parts.len(), result.pairs);
    let mut clashes = 0;
    for finding in &result.findings {
        let [a, b] = [world.body(finding.pair[0])?, world.body(finding.pair[1])?].map(|body| body.name());
        if matches!(finding.status, PairStatus::Intersecting | PairStatus::Inside) {
            println!("{:?}: {a} and {b}", finding.status);
            clashes += 1;
        }
    }
    assert_eq!(clashes, 6, "four intersections and two containments are planted");
    Ok(())
}
