//! Bodies in solids: inside, or with a point outside; at rest and along motions.

use crate::oracle::contained;
use crate::setup::Problem;
use crate::statics::polycube;
use crate::tally::Tally;
use crate::{Options, mutants, run, shares_of};
use noli::glam::{DQuat, DVec3, dvec3};
use noli::{Convex, Mesh, Model, Pose};
use noli_certificate::{Certificate, MovingBody, Region, RigidPath, Scene, Statement};
use std::process::ExitCode;
use std::time::Instant;

/// Instants of a motion at which the engine decides, less one.
const INSTANTS: usize = 16;

/// A small body in the scene, and the engine's verdicts along its motion.
struct Nested {
    moving: MovingBody,
    at_rest: bool,
    /// Contained at every instant, or not contained at any; none if that changes.
    contained: Option<bool>,
}

/// Small bodies in and around polycubes.
pub(crate) fn nested(options: &Options) -> Result<ExitCode, Problem> {
    let small = small_bodies()?;
    run(options, options.count.div_ceil(options.batch), |number, tally| {
        let mut share = shares_of(options, number);
        let solid = Model::new(polycube(&mut share)?)?;
        let mut scene = Scene::default();
        let around = scene.add_body("solid", 0, &solid, Pose::IDENTITY, 0.0)?;
        let mut bodies = Vec::new();
        for k in 0..options.batch {
            let model = &small[(share() * small.len() as f64) as usize];
            let path = motion(&solid, k % 2 == 0, &mut share);
            let begun = Instant::now();
            let decided = (0..=INSTANTS).map(|k| {
                let pose = path.pose(k as f64 / INSTANTS as f64);
                contained(&model.at(pose), &solid.at(Pose::IDENTITY))
            });
            let decided: Option<Vec<bool>> = decided.collect();
            tally.verdicts += begun.elapsed();
            let Some(decided) = decided else { continue };
            let same = decided.iter().all(|each| *each == decided[0]);
            let moving = scene.add_motion("small", model, &path, 0.0)?;
            bodies.push(Nested { moving, at_rest: k % 2 == 0, contained: same.then_some(decided[0]) });
        }
        prove_all(scene, around, &bodies, (options, number), tally)
    })
}

/// Proves both claims of every body, the false one in vain; false ones with proofs of true ones are refused.
fn prove_all(
    scene: Scene,
    around: usize,
    bodies: &[Nested],
    (options, number): (&Options, usize),
    tally: &mut Tally,
) -> Result<(), Problem> {
    let still = Region::At(vec![0.0; scene.joint_count()]);
    let region = |each: &Nested| if each.at_rest { still.clone() } else { scene.along(&[&each.moving]) };
    let regions: Vec<Region> = bodies.iter().map(region).collect();
    let mut certificate = Certificate::new(scene);
    for (each, region) in bodies.iter().zip(regions) {
        let pairs = vec![[each.moving.body, around]];
        let claims = [
            (Statement::inside(pairs.clone(), region.clone()), true),
            (Statement::not_inside(pairs, region), false),
        ];
        for (statement, contained) in claims {
            let is_true = each.contained == Some(contained);
            // A search along a motion for a proof that does not exist takes long.
            if is_true || each.at_rest {
                tally.prove(&mut certificate, statement, is_true);
            }
        }
    }
    let bytes = tally.check(&certificate, options, number)?;
    for other in mutants::with_other_claims(&bytes) {
        tally.refuse(Some(other), options);
    }
    let at_rest = |wanted: bool| {
        bodies
            .iter()
            .filter(move |each| each.at_rest && each.contained == Some(wanted))
            .map(move |each| [each.moving.body, around])
    };
    for wanted in [true, false] {
        for (from, to) in at_rest(wanted).zip(at_rest(!wanted).cycle()) {
            tally.refuse(mutants::with_other_pair(&bytes, from, to), options);
        }
    }
    Ok(())
}

fn small_bodies() -> Result<Vec<Model>, Problem> {
    Ok(vec![
        Model::new(Convex::cuboid(dvec3(0.5, 0.25, 0.125))?)?,
        Model::new(Convex::sphere(0.25)?)?,
        Model::new(Convex::capsule(0.25, 0.125)?)?,
        Model::new(Convex::cylinder(0.375, 0.125)?)?,
        Model::new(Mesh::cuboid(dvec3(0.25, 0.5, 0.25))?.into_solid())?,
        Model::new(Mesh::torus(0.25, 0.0625, 10, 6)?.into_solid())?,
        Model::new(Mesh::torus(0.25, 0.0625, 10, 6)?)?,
    ])
}

/// A motion near a solid, or a rest: at random places, or on a grid on which many bodies touch it.
fn motion(solid: &Model, at_rest: bool, share: &mut impl FnMut() -> f64) -> RigidPath {
    let bounds = solid.aabb();
    let size = bounds.max - bounds.min + DVec3::splat(0.5);
    let on_grid = at_rest && share() < 0.3;
    let mut pose = |on_grid: bool| {
        let at = bounds.min - DVec3::splat(0.25) + size * dvec3(share(), share(), share());
        let turn = DQuat::from_xyzw(share() - 0.5, share() - 0.5, share() - 0.5, 1.0).normalize();
        let snapped = (at * 8.0).round() / 8.0;
        if on_grid { Pose::from_translation(snapped) } else { Pose::new(turn, at) }
    };
    let start = pose(on_grid);
    if at_rest {
        return RigidPath::between(&start, &start, DVec3::ZERO);
    }
    let end = pose(false);
    let near = start.translation + (end.translation - start.translation) * 0.25;
    RigidPath::between(&start, &Pose::new(end.rotation, near), DVec3::ZERO)
}
