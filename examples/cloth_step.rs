//! A step of cloth: exact contacts of a mesh with itself while all its vertices move.

use glam::DVec3;
use noli::deforming::{Deforming, first_self_impact, self_impacts};
use noli::{Impact, Mesh};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = 8;
    let at = |x: u32, y: u32| DVec3::new(f64::from(x), f64::from(y), 0.0);
    let vertices: Vec<DVec3> = (0..=count).flat_map(|y| (0..=count).map(move |x| at(x, y))).collect();
    let cell = |x: u32, y: u32| {
        let first = y * (count + 1) + x;
        let above = first + count + 1;
        [[first, first + 1, above + 1], [first, above + 1, above]]
    };
    let faces: Vec<[u32; 3]> = (0..count).flat_map(|y| (0..count).flat_map(move |x| cell(x, y))).collect();
    let cloth = Mesh::from_triangles(vertices.clone(), faces, &Default::default())?;

    // Half of the cloth folds over and lands below the other half.
    let middle = f64::from(count) / 2.0;
    let folded = |drop: f64| {
        let fold = move |v: &DVec3| {
            let over = (v.x - middle).max(0.0);
            if over > 0.0 { DVec3::new(middle - over, v.y, 1.0 - drop * over / middle) } else { *v }
        };
        vertices.iter().map(fold).collect::<Vec<_>>()
    };
    for drop in [0.5, 2.0] {
        let step = Deforming::new(&cloth, folded(drop))?;
        match first_self_impact(&step) {
            Impact::Free => println!("drop {drop}: no contact during the step"),
            Impact::At { time, touch } => {
                println!("drop {drop}: free until {:.6}, then {touch:?}", time.safe_until);
                println!("  {} contacts in all", self_impacts(&step).len());
            }
            other => println!("drop {drop}: {other:?}"),
        }
    }
    Ok(())
}
