//! Tests of one step of a motion, all through hierarchies.

use super::bodies::{Body, Heuristic, Obstacle};
use noli::motion::{Motion, RigidMotion, Still};
use noli::{Impact, Overlap, Pose, overlap, time_of_impact};
use noli_classics::tree::{
    BaseTest, Enclosing, FaceTest, MixedSweep, SweepOptions, SweptVolume, Tests, WalkOptions,
};
use noli_geom::{ApproximateQuery, FeatureQuery, Finder};

/// A test of one step.
#[derive(Clone, Copy)]
pub(super) enum Method {
    /// Only the pose at the end: static volumes, edges against faces.
    Static,
    /// Volumes around both ends of the step, one of the finders on the faces of leaves.
    Finder(ApproximateQuery),
    /// Static trees at the end; faces that intersect there are dated by a finder.
    Mixed(ApproximateQuery),
    /// Volumes around the whole motion and inclusion on the faces: misses nothing.
    Inclusion,
}

/// The last free pose of the mixed test is known to within this share of a step.
const MIXED_TOLERANCE: f64 = 0.01;

/// The five finders of the thesis.
pub(super) fn finders(cells: u32) -> [(&'static str, Finder); 5] {
    [
        ("linear interpolation", Finder::Linear),
        ("regula falsi", Finder::RegulaFalsi),
        ("quadratic", Finder::Quadratic),
        ("sampling", Finder::Sampling { cells }),
        ("sampling + regula falsi", Finder::SamplingRegulaFalsi { cells }),
    ]
}

pub(super) fn methods(cells: u32) -> Vec<(String, Method)> {
    let mut methods = vec![("static".to_owned(), Method::Static)];
    for (name, finder) in finders(cells) {
        let query = ApproximateQuery { finder, ..Default::default() };
        let printed = ApproximateQuery { literal: true, ..query };
        methods.push((format!("{name}, as printed"), Method::Finder(printed)));
        methods.push((name.to_owned(), Method::Finder(query)));
    }
    methods.push(("mixed static–dynamic".to_owned(), Method::Mixed(ApproximateQuery::default())));
    methods.push(("inclusion".to_owned(), Method::Inclusion));
    methods
}

/// A step and the obstacles it may reach.
pub(super) struct Step<'a> {
    part: &'a Body,
    pub(super) near: Vec<&'a Obstacle>,
    motion: &'a RigidMotion,
}

impl<'a> Step<'a> {
    pub(super) fn new(part: &'a Body, obstacles: &[&'a Obstacle], motion: &'a RigidMotion) -> Self {
        let swept = part.swept_box(motion);
        let near = obstacles.iter().copied().filter(|o| o.bounds().overlaps(&swept)).collect();
        Self { part, near, motion }
    }

    pub(super) fn overlaps_at_end(&self) -> bool {
        let end = self.part.model().at(self.motion.pose(1.0));
        self.near.iter().any(|other| overlap(&end, &other.body.model().at(other.pose)) == Overlap::Hit)
    }

    /// The first contact by the guaranteed query of the engine, where it is proven that bodies overlap: bodies that only
    /// come within the tolerance have no collision to be missed.
    pub(super) fn proven_contact(&self) -> Option<f64> {
        let times = self.near.iter().filter_map(|other| {
            let still = Still(other.pose);
            let (a, b) = (self.part.model().moving(self.motion), other.body.model().moving(&still));
            match time_of_impact(&a, &b) {
                Impact::AtStart(_) => Some(0.0),
                Impact::At { time, touch, .. } if touch.proven => Some(time.safe_until),
                _ => None,
            }
        });
        times.min_by(f64::total_cmp)
    }

    /// The answer of a method over all obstacles that are near, and the tests it made.
    pub(super) fn ask(&self, method: Method, heuristic: Heuristic) -> (bool, Tests) {
        let mut tests = Tests::default();
        let mut contact = false;
        for other in &self.near {
            let (found, made) = self.ask_one(method, heuristic, other);
            tests += made;
            contact |= found;
        }
        (contact, tests)
    }

    fn ask_one(&self, method: Method, heuristic: Heuristic, other: &Obstacle) -> (bool, Tests) {
        let (mine, theirs) = (self.part.tree(heuristic), other.body.tree(heuristic));
        let still = Still(other.pose);
        match method {
            Method::Static => {
                let walk = WalkOptions { all: true, base: BaseTest::Edges, ..WalkOptions::default() };
                let end: Pose = self.motion.pose(1.0);
                let met = mine.meet(&end, theirs, &other.pose, &walk);
                (!met.faces.is_empty(), met.tests)
            }
            Method::Finder(query) => {
                let volumes =
                    SweptVolume { by: Enclosing::Ends, as_printed: query.literal, ..SweptVolume::default() };
                let options =
                    SweepOptions { volumes, faces: FaceTest::Finder(query), ..SweepOptions::default() };
                let swept = mine.sweep(self.motion, theirs, &still, &options);
                (swept.first.is_some(), swept.tests)
            }
            Method::Mixed(query) => {
                let (found, tests) = mine.sweep_mixed(self.motion, theirs, &still, &query, MIXED_TOLERANCE);
                (found != MixedSweep::NoEndOverlap, tests)
            }
            Method::Inclusion => {
                let faces = FaceTest::Inclusion(FeatureQuery::default());
                let options = SweepOptions { faces, ..SweepOptions::default() };
                let swept = mine.sweep(self.motion, theirs, &still, &options);
                (swept.first.is_some(), swept.tests)
            }
        }
    }

    /// The part and its motion.
    pub(super) fn parts(&self) -> (&'a Body, &'a RigidMotion) {
        (self.part, self.motion)
    }
}
