//! The four removals from the engine bay with hesitant manual motion: pose lists, and the faces along their
//! paths.

use anyhow::{Context, Result, ensure};
use glam::{DQuat, DVec3};
use noli::{Mesh, Pose};
use noli_classics::tree::{AnyVolume, TreeOptions, VolumeTree, WalkOptions};
use noli_geom::Aabb;
use noli_scenes::{Assembly, Removal, bayonet, engine_bay, engine_bay_removals, threaded};

/// The pose lists.
const MOTIONS: [(&str, &str); 4] = [
    ("M1", include_str!("../experiments/eckstein-10.1/M1.csv")),
    ("M2", include_str!("../experiments/eckstein-10.1/M2.csv")),
    ("M3", include_str!("../experiments/eckstein-10.1/M3.csv")),
    ("M4", include_str!("../experiments/eckstein-10.1/M4.csv")),
];

/// A moved part, the obstacles along its path, and the poses.
pub(crate) struct Task {
    pub(crate) name: &'static str,
    pub(crate) part: &'static str,
    pub(crate) moved: Mesh,
    pub(crate) around: Mesh,
    /// The poses of all runs, one run after the other.
    pub(crate) poses: Vec<Pose>,
    /// Number of runs of equal length: hands with seeds of their own on the same path.
    pub(crate) runs: usize,
}

/// The tasks of these names; of their poses, only every so manieth.
pub(crate) fn tasks(detail: u32, names: &[String], every: usize) -> Result<Vec<Task>> {
    let bay = engine_bay(detail);
    let removals = engine_bay_removals();
    let wanted = removals.iter().filter(|r| names.iter().any(|name| name == r.name));
    wanted.map(|removal| task(&bay, removal, every)).collect()
}

/// Seeds of the runs of one motion are so far from each other.
const NEXT_RUN: u64 = 100;

/// Returns the named tasks with so many poses in each of so many runs, by the generator of the lists. M1 to M4 are
/// in the bay; `bayonet` and `thread` have covers that must be rotated on their path.
pub(crate) fn long_tasks(detail: u32, names: &[String], (runs, poses): (usize, usize)) -> Result<Vec<Task>> {
    let bay = engine_bay(detail);
    let in_bay = engine_bay_removals().into_iter().map(|removal| (&bay, removal));
    let (bayonet, threaded) = (bayonet(detail), threaded(detail));
    let turned = [(&bayonet, quarter_turn()), (&threaded, unscrewed())];
    let all = in_bay.chain(turned).enumerate();
    let wanted = all.filter(|(_, (_, removal))| names.iter().any(|name| name == removal.name));
    let led = |k: usize, removal: &Removal| -> Vec<Pose> {
        let seeds = (0..runs as u64).map(|run| 1999 + k as u64 + NEXT_RUN * run);
        seeds.flat_map(|seed| removal.hesitant(seed, poses)).collect()
    };
    wanted
        .map(|(k, (scene, removal))| Ok(Task { runs, ..on_the_path(scene, &removal, led(k, &removal))? }))
        .collect()
}

/// Out of a bayonet: a quarter turn that lifts a little, then straight out.
fn quarter_turn() -> Removal {
    let at = |z: f64, turn: f64| Pose::new(DQuat::from_rotation_z(turn), DVec3::Z * z);
    let quarter = std::f64::consts::FRAC_PI_2;
    let path = vec![at(0.0, 0.0), at(0.4, 0.0), at(8.0, quarter), at(45.0, quarter)];
    Removal { name: "bayonet", part: "part", without: &[], path }
}

/// Out of a thread of pitch 10: three turns, then straight out.
fn unscrewed() -> Removal {
    let steps = (0..=18).map(|k| {
        let turn = f64::from(k) / 6.0;
        Pose::new(DQuat::from_rotation_z(std::f64::consts::TAU * turn), DVec3::Z * (10.0 * turn))
    });
    let out = Pose::from_translation(DVec3::Z * 60.0);
    Removal { name: "thread", part: "part", without: &[], path: steps.chain([out]).collect() }
}

fn task(bay: &Assembly, removal: &Removal, every: usize) -> Result<Task> {
    let text = MOTIONS.iter().find(|(name, _)| *name == removal.name).context("every motion has a list")?.1;
    on_the_path(bay, removal, poses(text)?.into_iter().step_by(every.max(1)).collect())
}

/// Creates a task: a part, the faces of all others near its path, and its poses.
fn on_the_path(bay: &Assembly, removal: &Removal, poses: Vec<Pose>) -> Result<Task> {
    let part = bay.part(removal.part).context("the part is in the scene")?;
    let reach = part.mesh.vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
    let around = |p: &Pose| Aabb { min: p.translation - reach, max: p.translation + reach };
    let path: Vec<Aabb> = poses.iter().map(around).collect();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for other in
        bay.parts.iter().filter(|p| p.name != removal.part && !removal.without.contains(&p.name.as_str()))
    {
        let placed: Vec<DVec3> =
            other.mesh.vertices().iter().map(|v| other.pose.transform_point(*v)).collect();
        for t in other.mesh.triangles() {
            let corners = t.map(|v| placed[v as usize]);
            let face = Aabb::from_points(corners);
            if path.iter().any(|here| here.overlaps(&face)) {
                let first = vertices.len() as u32;
                vertices.extend(corners);
                triangles.push([first, first + 1, first + 2]);
            }
        }
    }
    let around = Mesh::from_triangles(vertices, triangles, &Default::default())?;
    Ok(Task { name: removal.name, part: removal.part, moved: part.mesh.clone(), around, poses, runs: 1 })
}

/// Rows of a quaternion and a translation.
fn poses(text: &str) -> Result<Vec<Pose>> {
    let row = |line: &str| {
        let v: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
        ensure!(v.len() == 7, "a pose has seven numbers: {line}");
        Ok(Pose::new(DQuat::from_xyzw(v[0], v[1], v[2], v[3]), DVec3::new(v[4], v[5], v[6])))
    };
    text.lines().skip(1).map(row).collect()
}

impl Task {
    /// Returns the number of intersecting face pairs in each pose.
    pub(crate) fn meeting(&self) -> Vec<usize> {
        let options = TreeOptions::workshop();
        let trees = [&self.around, &self.moved].map(|mesh| VolumeTree::<AnyVolume>::new(mesh, &options));
        let walk = WalkOptions { all: true, ..Default::default() };
        let meet = |pose: &Pose| trees[0].meet(&Pose::IDENTITY, &trees[1], pose, &walk).faces.len();
        self.poses.iter().map(meet).collect()
    }
}

/// Returns the number of collisions of a hand: runs of colliding poses after a collision-free one.
pub(crate) fn bumps(meeting: &[usize]) -> usize {
    meeting.windows(2).filter(|pair| pair[0] == 0 && pair[1] > 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pose lists are what the generator makes.
    #[test]
    fn pose_lists_are_those_of_the_generator() {
        for (number, removal) in engine_bay_removals().iter().enumerate() {
            let kept = poses(MOTIONS[number].1).unwrap();
            let made = removal.hesitant(1999 + number as u64, kept.len());
            for (k, m) in kept.iter().zip(&made) {
                assert!(
                    k.translation.distance(m.translation) < 1e-6 && k.rotation.abs_diff_eq(m.rotation, 1e-9)
                );
            }
        }
    }

    /// A person collides several times on the removal path and spends more of it collision-free.
    #[test]
    fn the_hand_hits_things_and_gets_free_again() {
        let names = MOTIONS.map(|(name, _)| name.to_owned());
        for task in tasks(1, &names, 1).unwrap() {
            let meeting = task.meeting();
            let hits = meeting.iter().filter(|&&count| count > 0).count() as f64 / meeting.len() as f64;
            assert!((0.05..0.6).contains(&hits), "{}: {hits}", task.name);
            assert!(bumps(&meeting) >= 3, "{}: {}", task.name, bumps(&meeting));
            assert_eq!((meeting[0], meeting.last()), (0, Some(&0)), "{}", task.name);
        }
    }
}
