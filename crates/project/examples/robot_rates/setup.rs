//! A robot from files, alone, in a cage or among the bodies of a scene, and every pair asked by itself.

use noli::{Convex, Model, Overlap, Pose};
use noli_project::{LinkKind, RobotOptions, TakeAs, load_robot, load_srdf, load_surroundings};
use noli_robot::cell::{Cell, CellBuilder, PairRule};
use noli_robot::{ConfigurationError, Robot};
use std::path::PathBuf;
use std::sync::Arc;

/// Radius of the spheres of the cage.
pub const CAGE_RADIUS: f64 = 0.2;
/// Centres of fourteen spheres around the robot, in the manner of a cage.
pub const CAGE: [[f64; 3]; 14] = [
    [0.55, 0.0, 0.25],
    [0.35, 0.35, 0.25],
    [0.0, 0.55, 0.25],
    [-0.55, 0.0, 0.25],
    [-0.35, -0.35, 0.25],
    [0.0, -0.55, 0.25],
    [0.35, -0.35, 0.25],
    [0.35, 0.35, 0.8],
    [0.0, 0.55, 0.8],
    [-0.35, 0.35, 0.8],
    [-0.55, 0.0, 0.8],
    [-0.35, -0.35, 0.8],
    [0.0, -0.55, 0.8],
    [0.35, -0.35, 0.8],
];

pub type Problem = Box<dyn std::error::Error + Send + Sync>;

/// The words of the command line.
pub struct Words(pub Vec<String>);

impl Words {
    pub fn new() -> Self {
        Self(std::env::args().skip(1).collect())
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|word| word == name)
    }

    pub fn after(&self, name: &str) -> Option<&str> {
        let at = self.0.iter().position(|word| word == name)?;
        self.0.get(at + 1).map(String::as_str)
    }

    pub fn number<T: std::str::FromStr>(&self, name: &str, absent: T) -> Result<T, Problem>
    where
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        Ok(self.after(name).map(str::parse).transpose()?.unwrap_or(absent))
    }
}

/// The robot of the first `.urdf`, with the `.srdf`, in a cell with `--cage` or what `--around` names; its meshes
/// as solids where they are closed, or all as surfaces with `--surface`.
pub fn cell(words: &Words) -> Result<(Arc<Robot>, Cell), Problem> {
    let (robot, plan) = plan(words)?;
    Ok((robot, plan.build()))
}

/// The same before it is built.
pub fn plan(words: &Words) -> Result<(Arc<Robot>, CellBuilder), Problem> {
    let file = |end: &str| words.0.iter().find(|word| word.ends_with(end));
    let urdf = file(".urdf").ok_or("name a URDF file")?;
    let kind = if words.has("--surface") { LinkKind::Surface } else { LinkKind::Auto };
    let packages = words.after("--packages").map(PathBuf::from).into_iter().collect();
    let loaded = load_robot(urdf, &RobotOptions { kind, packages, visual: true })?;
    let mut plan = CellBuilder::default();
    let robot = Arc::new(loaded.robot);
    let arm = plan.add_robot("", robot.clone(), Pose::IDENTITY, &loaded.shapes)?;
    if let Some(path) = file(".srdf") {
        plan.apply_srdf(arm, &load_srdf(path, &robot)?);
    }
    let sphere = Model::new(Convex::sphere(CAGE_RADIUS)?)?;
    for (k, center) in CAGE.iter().enumerate().filter(|_| words.has("--cage")) {
        plan.add_obstacle(&format!("sphere{k}"), &sphere, Pose::from_translation((*center).into()))?;
    }
    if let Some(path) = words.after("--around") {
        for body in load_surroundings(&[path.into()], TakeAs::Auto)?.0 {
            plan.add_obstacle(&body.name, &body.model, body.place)?;
        }
    }
    Ok((robot, plan))
}

/// Even numbers in [0, 1), always the same.
pub fn shares(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 * 2f64.powi(-53)
    }
}

/// The range of every variable; half a turn either way where there is none.
pub fn ranges(robot: &Robot) -> Vec<[f64; 2]> {
    robot.variables().iter().map(|variable| variable.limits.range.unwrap_or([-3.0, 3.0])).collect()
}

/// Configurations all over the limits, one after the other.
pub fn draw(ranges: &[[f64; 2]], count: usize, share: &mut impl FnMut() -> f64) -> Vec<f64> {
    let mut states = Vec::with_capacity(count * ranges.len());
    for _ in 0..count {
        states.extend(ranges.iter().map(|[low, high]| low + (high - low) * share()));
    }
    states
}

/// A configuration so far from another in any direction, within limits.
pub fn step(ranges: &[[f64; 2]], from: &[f64], length: f64, share: &mut impl FnMut() -> f64) -> Vec<f64> {
    let path: Vec<f64> = from.iter().map(|_| 2.0 * share() - 1.0).collect();
    let norm = path.iter().map(|x| x * x).sum::<f64>().sqrt();
    let to = |k: usize| (from[k] + path[k] / norm * length).clamp(ranges[k][0], ranges[k][1]);
    (0..from.len()).map(to).collect()
}

/// Asks every pair of shapes by itself, with nothing of what makes cells quick.
pub struct Naive<'c> {
    cell: &'c Cell,
    models: Vec<&'c Model>,
    pairs: Vec<[usize; 2]>,
}

impl<'c> Naive<'c> {
    pub fn new(cell: &'c Cell) -> Self {
        let (parts, models): (Vec<usize>, Vec<&Model>) = cell.shapes().unzip();
        let of = |part: usize| (0..parts.len()).filter(|&k| parts[k] == part).collect::<Vec<_>>();
        let mut pairs = Vec::new();
        for pair in cell.pairs().iter().filter(|pair| matches!(pair.rule, PairRule::Checked { .. })) {
            let [a, b] = pair.parts.map(of);
            pairs.extend(a.iter().flat_map(|&x| b.iter().map(move |&y| [x, y])));
        }
        Self { cell, models, pairs }
    }

    pub fn hit(&self, values: &[f64]) -> Result<bool, ConfigurationError> {
        let poses = self.cell.shape_poses(values)?;
        let at = |k: usize| self.models[k].at(poses[k]);
        Ok(self.pairs.iter().any(|&[a, b]| noli::overlap(&at(a), &at(b)) == Overlap::Hit))
    }
}
