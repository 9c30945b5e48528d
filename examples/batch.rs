//! A batch of 100,000 poses on all CPUs, then the same with a step budget for each query.

use glam::{DQuat, DVec3};
use noli::{Budget, Mesh, Model, Overlap, Pose, batch};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ring = Model::new(Mesh::torus(1.0, 0.3, 64, 32)?.into_solid())?;
    let rod = Model::new(Mesh::cylinder(3.0, 0.2, 24)?.into_solid())?;
    let pose = |k: u32| {
        let k = f64::from(k);
        Pose::new(DQuat::from_rotation_x(0.013 * k), DVec3::new((0.7 * k).sin(), (0.3 * k).cos(), 0.0))
    };
    let poses: Vec<Pose> = (0..100_000).map(pose).collect();
    let mut answers = vec![Overlap::Unknown; poses.len()];
    batch(&poses, &mut answers, |pose, context| context.overlap(&ring.at(Pose::IDENTITY), &rod.at(*pose)))?;
    let count = |wanted| answers.iter().filter(|&&answer| answer == wanted).count();
    println!("{} hit, {} free", count(Overlap::Hit), count(Overlap::Free));

    // With few steps some stay unknown; none is ever wrong, and the same are unknown on every machine.
    let mut short = vec![Overlap::Unknown; poses.len()];
    batch(&poses, &mut short, |pose, context| {
        let budget = Budget::default().steps(8);
        context.reborrow().with_budget(budget).overlap(&ring.at(Pose::IDENTITY), &rod.at(*pose))
    })?;
    let unknown = short.iter().filter(|&&answer| answer == Overlap::Unknown).count();
    println!("{unknown} unknown within 8 steps");
    assert!(short.iter().zip(&answers).all(|(s, a)| s == a || *s == Overlap::Unknown));
    Ok(())
}
