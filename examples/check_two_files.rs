//! Relation of the bodies of two mesh files: clearance, or intersecting faces.

use noli::{Model, Overlap, Pose, Relation, clearance, intersections, relation};
use noli_formats::{ReadOptions, read_mesh};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, b] = paths.as_slice() else { return Err("give two mesh files".into()) };
    let [a, b] = [a, b].map(|path| read_mesh(path, &ReadOptions::default()));
    // `into_solid` makes the enclosed volume part of the body.
    let [a, b] = [Model::from(a?.into_solid()), Model::from(b?.into_solid())];
    let (a, b) = (a.at(Pose::IDENTITY), b.at(Pose::IDENTITY));
    let found = relation(&a, &b);
    println!("{found:?}");
    match found.overlap() {
        Overlap::Free => {
            let clearance = clearance(&a, &b);
            println!("clearance: from {} to {}", clearance.distance.at_least, clearance.distance.at_most);
            if let Some(witness) = clearance.witness {
                println!("nearest: {} and {}", witness.on_a.point, witness.on_b.point);
            }
        }
        Overlap::Hit if found == Relation::Intersecting => {
            for intersection in intersections(&a, &b).iter().take(3) {
                println!("triangles {} and {} intersect", intersection.triangle_a, intersection.triangle_b);
            }
        }
        Overlap::Hit | Overlap::Unknown => {}
    }
    Ok(())
}
