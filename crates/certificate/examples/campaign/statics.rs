//! Pairs at rest: meshes of W1, polycubes, mesh files.

use crate::setup::{Problem, Words};
use crate::tally::Tally;
use crate::{Options, mutants, run, shares_of};
use noli::glam::{DQuat, DVec3, dvec3};
use noli::{Mesh, Model, Overlap, Pose};
use noli_certificate::{Certificate, Region, Scene, Statement};
use noli_project::{StageOptions, TakeAs};
use noli_scenes::{TriangleSet, w1_meshes, w1_poses};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Static pairs of one body with others: each collides or not, by the engine.
fn static_pairs(
    (a, b): (&Model, &[(Model, Pose)]),
    (options, number): (&Options, usize),
    tally: &mut Tally,
) -> Result<(), Problem> {
    let mut scene = Scene::default();
    let fixed = scene.add_body("a", 0, a, Pose::IDENTITY, 0.0)?;
    let mut placed = Vec::new();
    for (model, pose) in b {
        placed.push((scene.add_body("b", 0, model, *pose, 0.0)?, model, *pose));
    }
    let mut certificate = Certificate::new(scene);
    let (mut free, mut hits) = (Vec::new(), Vec::new());
    for (body, model, pose) in placed {
        let begun = Instant::now();
        let hit = noli::overlap(&a.at(Pose::IDENTITY), &model.at(pose)) == Overlap::Hit;
        tally.verdicts += begun.elapsed();
        if hit {
            hits.push(body)
        } else {
            free.push(body)
        }
        let (pairs, region) = (vec![[fixed, body]], Region::At(Vec::new()));
        let (claimed, denied) =
            (Statement::separated(pairs.clone(), region.clone()), Statement::colliding(pairs, region));
        let (claimed, denied) = if hit { (denied, claimed) } else { (claimed, denied) };
        tally.prove(&mut certificate, claimed, true);
        tally.prove(&mut certificate, denied, false);
    }
    let bytes = tally.check(&certificate, options, number)?;
    for (from, to) in free.iter().zip(hits.iter().cycle()) {
        tally.refuse(mutants::with_other_body(&bytes, *from, *to), options);
    }
    Ok(())
}

/// Poses of two meshes of W1, all as they are, or moved to a distance.
pub(crate) fn poses(words: &Words, options: &Options) -> Result<ExitCode, Problem> {
    let model = |set: TriangleSet| -> Result<Model, Problem> {
        Ok(Model::new(&Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?)?)
    };
    let [a, b] = w1_meshes().map(model);
    let (a, b) = (a?, b?);
    let gap: Option<f64> = words.after("--gap").map(str::parse).transpose()?;
    let drawn = w1_poses(options.seed, options.count);
    let chunks: Vec<&[Pose]> = drawn.chunks(options.batch).collect();
    run(options, chunks.len(), |number, tally| {
        let place = |pose: &Pose| gap.map_or(*pose, |gap| at_distance(&a, &b, *pose, gap));
        let others: Vec<(Model, Pose)> = chunks[number].iter().map(|pose| (b.clone(), place(pose))).collect();
        static_pairs((&a, &others), (options, number), tally)
    })
}

/// The pose moved along its translation until the distance is about the given one.
fn at_distance(a: &Model, b: &Model, pose: Pose, distance: f64) -> Pose {
    let direction = pose.translation.normalize();
    let at = |along: f64| Pose::new(pose.rotation, direction * along);
    let (mut near, mut far) = (0.0, 10.0 * pose.translation.length() + 10.0);
    for _ in 0..40 {
        let middle = 0.5 * (near + far);
        let apart = noli::clearance(&a.at(Pose::IDENTITY), &b.at(at(middle))).distance.at_least;
        if apart < distance { near = middle } else { far = middle }
    }
    at(far)
}

/// Mesh files of a folder in pairs: random rotations, distances of the origins from contact to twice the sizes.
pub(crate) fn parts(words: &Words, options: &Options) -> Result<ExitCode, Problem> {
    let folder = PathBuf::from(words.0.get(1).ok_or("name a folder of mesh files")?);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.sort();
    let mut models = Vec::new();
    let options_of_stage = StageOptions { take_as: TakeAs::Auto, ..Default::default() };
    for file in files.iter().filter(|file| is_mesh(file)) {
        let read = noli_project::open_paths(std::slice::from_ref(file), &Default::default());
        let Ok(source) = read else { continue };
        let staged = noli_project::stage(&source.scene, &options_of_stage)?;
        let bodies = staged.world.bodies();
        models.extend(bodies.map(|(_, body)| body.model().clone()).filter(|model| !model.is_empty()));
    }
    if models.is_empty() {
        return Err("no mesh file can be read there".into());
    }
    run(options, options.count.div_ceil(options.batch), |number, tally| {
        let mut share = shares_of(options, number);
        let pick = |share: &mut dyn FnMut() -> f64| models[(share() * models.len() as f64) as usize].clone();
        let first = pick(&mut share);
        // Few shapes a certificate: their triangles are in it.
        let second: Vec<Model> = (0..2).map(|_| pick(&mut share)).collect();
        let others: Vec<(Model, Pose)> = (0..options.batch)
            .map(|k| {
                let model = second[k % 2].clone();
                let pose = near(&first, &model, &mut share);
                (model, pose)
            })
            .collect();
        static_pairs((&first, &others), (options, number), tally)
    })
}

fn is_mesh(file: &std::path::Path) -> bool {
    let end = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    ["stl", "obj", "off", "ply"].contains(&end.as_str())
}

/// A random pose of a body near another.
fn near(a: &Model, b: &Model, share: &mut impl FnMut() -> f64) -> Pose {
    let [a, b] = [a, b].map(|model| model.aabb());
    let mut signed = || 2.0 * share() - 1.0;
    let turn = DQuat::from_xyzw(signed(), signed(), signed(), signed());
    let turn = if turn.length_squared() > 0.01 { turn.normalize() } else { DQuat::IDENTITY };
    let direction = DVec3::new(signed(), signed(), signed()).normalize_or(DVec3::X);
    let size = 0.5 * ((a.max - a.min).length() + (b.max - b.min).length());
    let center = 0.5 * (a.min + a.max) + direction * size * (0.25 + share());
    Pose::new(turn, center - turn * (0.5 * (b.min + b.max)))
}

/// Solids of unit cubes on a grid, at whole translations, quarter turns and random places.
pub(crate) fn polycubes(options: &Options) -> Result<ExitCode, Problem> {
    run(options, options.count.div_ceil(options.batch), |number, tally| {
        let mut share = shares_of(options, number);
        let first = Model::new(polycube(&mut share)?)?;
        let others: Result<Vec<(Model, Pose)>, Problem> = (0..options.batch)
            .map(|k| {
                let mut whole = |reach: f64| (share() * (2.0 * reach + 1.0)).floor() - reach;
                let mut at = dvec3(whole(4.0), whole(4.0), whole(4.0));
                let mut turn = DQuat::IDENTITY;
                if k % 2 == 1 {
                    at += dvec3(share(), share(), share());
                    turn = DQuat::from_xyzw(share(), share(), share(), 1.0).normalize();
                }
                Ok((Model::new(polycube(&mut share)?)?, Pose::new(turn, at)))
            })
            .collect();
        static_pairs((&first, &others?), (options, number), tally)
    })
}

/// A connected solid of up to six cubes.
pub(crate) fn polycube(share: &mut impl FnMut() -> f64) -> Result<Mesh, Problem> {
    let mut cells = vec![[0i32; 3]];
    for _ in 0..(share() * 6.0) as usize {
        let mut next = cells[(share() * cells.len() as f64) as usize];
        next[(share() * 3.0) as usize] += if share() < 0.5 { -1 } else { 1 };
        if !cells.contains(&next) {
            cells.push(next);
        }
    }
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for cell in &cells {
        for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let mut beyond = *cell;
            beyond[axis] += 2 * side - 1;
            if cells.contains(&beyond) {
                continue;
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let first = vertices.len() as u32;
            for (du, dv) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                let mut vertex = *cell;
                (vertex[axis], vertex[u], vertex[v]) = (cell[axis] + side, cell[u] + du, cell[v] + dv);
                vertices.push(DVec3::from_array(vertex.map(f64::from)));
            }
            let square = if side == 1 { [0, 1, 2, 3] } else { [0, 3, 2, 1] }.map(|k: u32| first + k);
            triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t: [usize; 3]| t.map(|k| square[k])));
        }
    }
    Ok(Mesh::from_triangles(vertices, triangles, &Default::default())?.into_solid())
}
