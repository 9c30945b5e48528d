//! Statements and the cells of their regions.

use crate::ProofError;
use crate::cbor::Encoder;
use crate::scene::{JointKind, Scene};

/// Claim of a statement, for every configuration of its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// All pairs are further from each other than the clearance and their paddings.
    Separated,
    /// At least one pair shares a point.
    Colliding,
    /// The first body of each pair lies inside the second, a solid mesh, without touching its faces.
    Inside,
    /// The first body of each pair has a point that is not in the second, a solid mesh.
    NotInside,
}

impl Claim {
    /// The word of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Separated => "separated",
            Self::Colliding => "colliding",
            Self::Inside => "inside",
            Self::NotInside => "not inside",
        }
    }
}

/// Configurations that a statement is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// One configuration: a value for each joint of the scene.
    At(Vec<f64>),
    /// The straight motions between configurations.
    Along(Vec<Vec<f64>>),
    /// Curves that join, each by the Bézier control values of its pieces, and all configurations near them.
    Curve {
        /// The control configurations of each piece, 2 to 10; the last of one is the first of the next.
        pieces: Vec<Vec<Vec<f64>>>,
        /// Largest distance of each joint's value from the curve, for tracking errors.
        deviation: Vec<f64>,
    },
    /// All values within ranges; `None` for joints that follow others.
    Box(Vec<Option<[f64; 2]>>),
}

/// A statement about pairs of bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// A title for people.
    pub title: String,
    /// The claim.
    pub claim: Claim,
    /// Pairs of bodies by index.
    pub pairs: Vec<[usize; 2]>,
    /// Its configurations.
    pub region: Region,
    /// Distance beyond the paddings; only for [`Claim::Separated`].
    pub clearance: f64,
    /// Pairs about which nothing is claimed, with the reason.
    pub disabled: Vec<([usize; 2], String)>,
    /// States that all pairs of the scene are listed or disabled.
    pub complete: bool,
}

/// Largest magnitude of an angle.
const MAX_TURN: f64 = 64.0;

impl Statement {
    /// The statement that pairs are separated.
    pub fn separated(pairs: Vec<[usize; 2]>, region: Region) -> Self {
        let (title, disabled) = (String::new(), Vec::new());
        Self { title, claim: Claim::Separated, pairs, region, clearance: 0.0, disabled, complete: false }
    }

    /// The statement that at least one of the pairs collides.
    pub fn colliding(pairs: Vec<[usize; 2]>, region: Region) -> Self {
        Self { claim: Claim::Colliding, ..Self::separated(pairs, region) }
    }

    /// The statement that the first body of each pair lies inside the second.
    pub fn inside(pairs: Vec<[usize; 2]>, region: Region) -> Self {
        Self { claim: Claim::Inside, ..Self::separated(pairs, region) }
    }

    /// The statement that the first body of each pair is not inside the second: a point of it is outside.
    pub fn not_inside(pairs: Vec<[usize; 2]>, region: Region) -> Self {
        Self { claim: Claim::NotInside, ..Self::separated(pairs, region) }
    }

    /// The weaker statement that nested bodies share a point, which holds with faces in contact too; none for other
    /// claims.
    #[must_use]
    pub fn weaker(&self) -> Option<Self> {
        let nested = self.claim == Claim::Inside && self.pairs.len() == 1;
        nested.then(|| Self { claim: Claim::Colliding, ..self.clone() })
    }

    /// Rejects indices and numbers that do not fit the scene.
    pub(crate) fn check(&self, scene: &Scene) -> Result<(), ProofError> {
        let wrong = |text: String| Err(ProofError::Statement(text));
        let disabled = self.disabled.iter().map(|(pair, _)| pair);
        for [a, b] in self.pairs.iter().chain(disabled) {
            if a == b || *a.max(b) >= scene.body_count() {
                return wrong(format!("bodies {a} and {b} are no pair of this scene"));
            }
        }
        if self.pairs.is_empty() {
            return wrong("a statement needs a pair of bodies".to_owned());
        }
        if self.clearance != 0.0 && self.claim != Claim::Separated {
            return wrong("only a statement of separation has a clearance".to_owned());
        }
        if !(self.clearance >= 0.0 && self.clearance.is_finite()) {
            return wrong(format!("a clearance of {}; give a finite length, at least 0", self.clearance));
        }
        let solid = |pair: &[usize; 2]| scene.shape_of(pair[1]).solid_mesh().is_some();
        if matches!(self.claim, Claim::Inside | Claim::NotInside) && !self.pairs.iter().all(solid) {
            return wrong("only a solid mesh can contain a body".to_owned());
        }
        self.region.check(scene)
    }

    pub(crate) fn write(&self, out: &mut Encoder) {
        let clearance = self.claim == Claim::Separated;
        out.map(6 + usize::from(clearance));
        out.text("title");
        out.text(&self.title);
        out.text("claim");
        out.text(self.claim.name());
        out.text("pairs");
        out.array(self.pairs.len());
        for pair in &self.pairs {
            out.array(2);
            pair.iter().for_each(|&body| out.index(body));
        }
        out.text("region");
        self.region.write(out);
        if clearance {
            out.text("clearance");
            out.number(self.clearance);
        }
        out.text("disabled");
        out.array(self.disabled.len());
        for (pair, reason) in &self.disabled {
            out.array(3);
            pair.iter().for_each(|&body| out.index(body));
            out.text(reason);
        }
        out.text("complete");
        out.bool(self.complete);
    }
}

impl Region {
    /// Number of edges; 1 for a region that is no path.
    pub(crate) fn edges(&self) -> usize {
        match self {
            Self::Along(configurations) => configurations.len() - 1,
            Self::Curve { pieces, .. } => pieces.len(),
            Self::At(_) | Self::Box(_) => 1,
        }
    }

    fn check(&self, scene: &Scene) -> Result<(), ProofError> {
        let joints = scene.joint_count();
        let count = |found: usize| {
            let text = format!("{found} joint values for {joints} joints");
            if found == joints { Ok(()) } else { Err(ProofError::Statement(text)) }
        };
        let values = |values: &[f64]| {
            count(values.len())?;
            scene
                .joints()
                .zip(values)
                .try_for_each(|(joint, &value)| check_value(&joint.name, joint.kind, value))
        };
        match self {
            Self::At(configuration) => values(configuration),
            Self::Along(configurations) if configurations.len() < 2 => {
                Err(ProofError::Statement("a path needs at least two configurations".to_owned()))
            }
            Self::Along(configurations) => configurations.iter().try_for_each(|each| values(each)),
            Self::Curve { pieces, deviation } => {
                count(deviation.len())?;
                let sizes = pieces.iter().all(|piece| (2..=10).contains(&piece.len())) && !pieces.is_empty();
                let joined = pieces.windows(2).all(|two| two[0].last() == two[1].first());
                if !sizes || !joined || !deviation.iter().all(|each| *each >= 0.0 && each.is_finite()) {
                    let text = "a curve needs pieces of 2 to 10 configurations that join, and deviations of at least 0";
                    return Err(ProofError::Statement(text.to_owned()));
                }
                pieces.iter().flatten().try_for_each(|each| {
                    values(each)?;
                    let far: Vec<f64> = each.iter().zip(deviation).map(|(x, more)| x.abs() + more).collect();
                    values(&far)
                })
            }
            Self::Box(ranges) => {
                count(ranges.len())?;
                for (joint, range) in scene.joints().zip(ranges) {
                    let text =
                        |what: &str| Err(ProofError::Statement(format!("joint `{}` {what}", joint.name)));
                    match (range, joint.mimic) {
                        (Some([low, high]), None) if low <= high => {
                            check_value(&joint.name, joint.kind, *low)?;
                            check_value(&joint.name, joint.kind, *high)?;
                        }
                        (None, Some(_)) => {}
                        (Some(_), None) => return text("has an empty range"),
                        (Some(_), Some(_)) => return text("follows another and has no range of its own"),
                        (None, None) => return text("needs a range"),
                    }
                }
                Ok(())
            }
        }
    }

    fn write(&self, out: &mut Encoder) {
        let deviates = matches!(self, Self::Curve { deviation, .. } if !is_exact(deviation));
        out.map(1 + usize::from(deviates));
        match self {
            Self::At(values) => {
                out.text("at");
                out.numbers(values);
            }
            Self::Along(configurations) => {
                out.text("along");
                out.array(configurations.len());
                configurations.iter().for_each(|values| out.numbers(values));
            }
            Self::Curve { pieces, deviation } => {
                out.text("curve");
                out.array(pieces.len());
                for piece in pieces {
                    out.array(piece.len());
                    piece.iter().for_each(|values| out.numbers(values));
                }
                if !is_exact(deviation) {
                    out.text("deviation");
                    out.numbers(deviation);
                }
            }
            Self::Box(ranges) => {
                out.text("box");
                out.array(ranges.len());
                for range in ranges {
                    match range {
                        Some(range) => out.numbers(range),
                        None => out.null(),
                    }
                }
            }
        }
    }

    /// The ranges of the parameters of an edge.
    pub(crate) fn whole(&self) -> Vec<[f64; 2]> {
        match self {
            Self::At(_) => Vec::new(),
            Self::Along(_) | Self::Curve { .. } => vec![[0.0, 1.0]],
            Self::Box(ranges) => ranges.iter().flatten().copied().collect(),
        }
    }

    /// Joint values at the middle of a cell, and how far from them those in the cell may be.
    pub(crate) fn center(&self, scene: &Scene, edge: usize, cell: &[[f64; 2]]) -> (Vec<f64>, Vec<f64>) {
        let middle = |[low, high]: [f64; 2]| 0.5 * (low + high);
        // Halves are rounded up: middles are rounded.
        let half = |[low, high]: [f64; 2]| 0.5 * (high - low) * (1.0 + 8.0 * f64::EPSILON);
        match self {
            Self::At(values) => (values.clone(), vec![0.0; values.len()]),
            Self::Along(configurations) => {
                let pairs = || configurations[edge].iter().zip(&configurations[edge + 1]);
                let values = pairs().map(|(from, to)| from + middle(cell[0]) * (to - from)).collect();
                (values, pairs().map(|(from, to)| (to - from).abs() * half(cell[0])).collect())
            }
            Self::Curve { pieces, deviation } => {
                let joint = |joint: usize| {
                    let controls: Vec<f64> = pieces[edge].iter().map(|values| values[joint]).collect();
                    curve_center(&controls, deviation[joint], cell[0])
                };
                (0..deviation.len()).map(joint).unzip()
            }
            Self::Box(ranges) => {
                let (mut own, mut values, mut halves) = (cell.iter(), Vec::new(), Vec::new());
                for range in ranges {
                    let range = range.and_then(|_| own.next().copied()).unwrap_or_default();
                    values.push(middle(range));
                    halves.push(half(range));
                }
                for (number, joint) in scene.joints().enumerate() {
                    if let Some((of, multiplier, offset)) = joint.mimic {
                        values[number] = multiplier * values[of] + offset;
                        halves[number] = multiplier.abs() * halves[of];
                    }
                }
                (values, halves)
            }
        }
    }

    /// The parameter that moves a joint.
    pub(crate) fn parameter_of(&self, scene: &Scene, joint: usize) -> usize {
        match self {
            Self::At(_) | Self::Along(_) | Self::Curve { .. } => 0,
            Self::Box(ranges) => {
                let of = scene.joints().nth(joint).and_then(|joint| joint.mimic).map_or(joint, |(of, ..)| of);
                ranges[..of].iter().flatten().count()
            }
        }
    }
}

fn is_exact(deviation: &[f64]) -> bool {
    deviation.iter().all(|each| *each == 0.0)
}

/// The value of a Bézier curve in the middle of a part of it, and a bound on how far from there its values are, by the
/// control values of the part (de Casteljau).
fn curve_center(controls: &[f64], deviation: f64, [low, high]: [f64; 2]) -> (f64, f64) {
    let degree = controls.len() - 1;
    let interpolated = |shares: &mut dyn Iterator<Item = f64>| {
        let mut points = controls.to_vec();
        for t in shares {
            (0..points.len() - 1).for_each(|k| points[k] += t * (points[k + 1] - points[k]));
            points.pop();
        }
        points[0]
    };
    let value = interpolated(&mut std::iter::repeat_n(0.5 * (low + high), degree));
    let part =
        (0..=degree).map(|k| interpolated(&mut (0..degree).map(|step| if step < k { high } else { low })));
    let most = part.map(|point| (point - value).abs()).fold(0.0, f64::max);
    let largest = controls.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    // Each interpolation errs by a few roundings of the largest value.
    (
        value,
        (deviation + most + 64.0 * controls.len() as f64 * f64::EPSILON * largest)
            * (1.0 + 8.0 * f64::EPSILON),
    )
}

fn check_value(name: &str, kind: JointKind, value: f64) -> Result<(), ProofError> {
    let most = if kind == JointKind::Turn { MAX_TURN } else { noli_geom::MAX_COORDINATE };
    if value.abs() <= most {
        return Ok(());
    }
    Err(ProofError::Limit(format!("joint `{name}` has the value {value}; at most {most} is allowed")))
}
