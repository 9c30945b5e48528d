//! How do the bodies of two mesh files stand to each other?

use noli::{Model, Overlap, Pose, Relation, clearance, intersections, relation};
use noli_formats::{ReadOptions, read_mesh};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, b] = paths.as_slice() else { return Err("give two mesh files".into()) };
    let [a, b] = [a, b].map(|path| read_mesh(path, &ReadOptions::default()));
    // Faces alone; with `into_solid` what is inside belongs to the body too.
    let [a, b] = [Model::from(a?.into_solid()), Model::from(b?.into_solid())];
    let (a, b) = (a.at(Pose::IDENTITY), b.at(Pose::IDENTITY));
    let stand = relation(&a, &b);
    println!("{stand:?}");
    match stand.overlap() {
        Overlap::Free => {
            let found = clearance(&a, &b);
            println!("clearance: from {} to {}", found.clearance.at_least, found.clearance.at_most);
            if let Some(witness) = found.witness {
                println!("nearest: {} and {}", witness.on_a.point, witness.on_b.point);
            }
        }
        Overlap::Hit if stand == Relation::Intersecting => {
            for intersection in intersections(&a, &b).iter().take(3) {
                println!("triangles {} and {} meet", intersection.triangle_a, intersection.triangle_b);
            }
        }
        Overlap::Hit | Overlap::Unknown => {}
    }
    Ok(())
}
