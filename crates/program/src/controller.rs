//! A host made of a robot: kinematics, speeds, scheduled inputs, a gripper that obeys, and a record of what
//! happened.

use super::machine::{ArmChoice, Grip, Gripped, Host, MotionKind, MotionRequest, Pace};
use noli_geom::{Pose, Sphere};
use noli_robot::{
    Branch, Followed, IkError, IkOptions, JointAxisKind, JointMotion, Place, Residual, Robot, Solution,
    SphericalWrist, StraightLine, solve_ik,
};
use std::sync::Arc;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Time in seconds.
    pub time: f64,
    /// The line of the program.
    pub place: Place,
    /// Item concerned.
    pub kind: TraceKind,
}

/// Kind of event.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceKind {
    /// A motion began.
    Motion {
        /// Kind of motion.
        kind: MotionKind,
        /// The joints at its end.
        to: Vec<f64>,
        /// Motion of all links, parameterized by its share from 0 to 1; the root is at the pose of the robot.
        path: Arc<JointMotion>,
        /// Proven bound on the tool's deviation from a straight line, in metres.
        deviation: f64,
        /// Duration, in seconds.
        seconds: f64,
        /// `true` if the via point before it may be blended.
        blends: bool,
    },
    /// A motion was stopped before its end.
    Stopped {
        /// Location.
        joints: Vec<f64>,
    },
    /// An output was set.
    Output {
        /// Its identifier.
        signal: u32,
        /// On or off.
        on: bool,
    },
    /// The gripper moved.
    Grip {
        /// Open or close.
        open: bool,
        /// Opening afterwards, in metres.
        opening: f64,
    },
    /// Text was shown.
    Shown(String),
}

/// A virtual controller for a chain of a robot.
#[derive(Clone, Debug)]
pub struct VirtualController {
    robot: Arc<Robot>,
    tip: usize,
    closed: Option<SphericalWrist>,
    /// Variables of the joints a program counts from 1.
    variables: Vec<usize>,
    /// All variables of the robot; the joints of the chain are the start.
    pub start: Vec<f64>,
    /// The joints that `READY` goes to.
    pub ready: Vec<f64>,
    /// Changes of inputs: time, signal, on or off; in order of time.
    pub inputs: Vec<(f64, u32, bool)>,
    /// Speed and acceleration of a turning joint where the robot states none, per second.
    pub turn_speed: [f64; 2],
    /// Speed and acceleration of a sliding joint and of the tool where none is stated, in metres.
    pub slide_speed: [f64; 2],
    /// Openings of the open and the closed gripper, in metres: closed on a part, that part's width.
    pub gripper: [f64; 2],
    /// Maximum deviation of the tool from a straight line, in metres.
    pub line_tolerance: f64,
    /// The first [`VirtualController::MOST_TRACES`] events.
    pub trace: Vec<Trace>,
}

impl VirtualController {
    /// More events than are kept.
    pub const MOST_TRACES: usize = 1_000_000;

    /// For the chain that moves a link, which is the flange; `None` if nothing moves it.
    pub fn new(robot: Arc<Robot>, flange: usize) -> Option<Self> {
        let joints = robot.joints_to(flange);
        let free = |v: &usize| {
            robot.variables()[*v].mimic.is_none() && joints.contains(&robot.variables()[*v].joint)
        };
        let mut variables: Vec<usize> = (0..robot.variables().len()).filter(free).collect();
        variables.sort_by_key(|&v| joints.iter().position(|&joint| joint == robot.variables()[v].joint));
        if variables.is_empty() {
            return None;
        }
        let closed = SphericalWrist::new(&robot, flange).ok();
        let start = robot.neutral().0;
        let ready = variables.iter().map(|&v| start[v]).collect();
        Some(Self {
            robot,
            tip: flange,
            closed,
            variables,
            start,
            ready,
            inputs: Vec::new(),
            turn_speed: [2.0, 8.0],
            slide_speed: [1.0, 4.0],
            gripper: [0.1, 0.0],
            line_tolerance: 1e-4,
            trace: Vec::new(),
        })
    }

    pub(crate) fn values(&self, joints: &[f64]) -> Vec<f64> {
        let mut values = self.start.clone();
        for (&v, &joint) in self.variables.iter().zip(joints) {
            values[v] = joint;
        }
        self.robot.apply_laws(&mut values);
        values
    }

    pub(crate) fn joints(&self, values: &[f64]) -> Vec<f64> {
        self.variables.iter().map(|&v| values[v]).collect()
    }

    fn record(&mut self, time: f64, place: Place, kind: TraceKind) {
        if self.trace.len() < Self::MOST_TRACES {
            self.trace.push(Trace { time, place, kind });
        }
    }

    /// The longest of the joints' own times, all of them stretched to it.
    fn joint_seconds(&self, from: &[f64], to: &[f64], share: f64) -> f64 {
        let times = self.variables.iter().zip(from.iter().zip(to)).map(|(&v, (a, b))| {
            let variable = &self.robot.variables()[v];
            let [speed, acceleration] = match variable.movement {
                JointAxisKind::Turn => self.turn_speed,
                JointAxisKind::Slide => self.slide_speed,
            };
            let speed = variable.limits.velocity.unwrap_or(speed) * share;
            trapezoid((a - b).abs(), speed, variable.limits.acceleration.unwrap_or(acceleration))
        });
        times.fold(0.0, f64::max)
    }

    /// The joint path along a straight line of the tool, on one branch.
    pub(crate) fn straight_path(&mut self, motion: &MotionRequest<'_>) -> Result<Followed, String> {
        let (start, end) = (self.flange(motion.from), self.flange(motion.to));
        let line = StraightLine {
            // The tool's centre goes straight, wherever the flange goes.
            sphere: Sphere { center: motion.flange_from_tool.translation, radius: 0.0 },
            tolerance: self.line_tolerance,
            ..StraightLine::new(self.tip, start, end)
        };
        let robot = self.robot.clone();
        let start = self.values(motion.from);
        let followed = line.follow(&robot, &start, &mut |flange, near| {
            let joints = self.inverse(flange, &self.joints(near), &ArmChoice::default())?;
            Ok(self.values(&joints))
        });
        let followed = followed.map_err(|error| error.to_string())?;
        let mut last = start;
        followed.motion.configuration(1.0, &mut last);
        let ends = self.joints(&last);
        let off = ends.iter().zip(motion.to).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if off > 1e-3 {
            return Err("the straight line ends on another branch than requested".to_owned());
        }
        Ok(followed)
    }

    fn straight_seconds(&mut self, motion: &MotionRequest<'_>) -> f64 {
        let start = self.flange(motion.from) * motion.flange_from_tool;
        let end = self.flange(motion.to) * motion.flange_from_tool;
        let change = Residual::between(&start, &end);
        let [speed, acceleration] = self.slide_speed;
        let [spin, spin_up] = self.turn_speed;
        let (speed, share) = match motion.pace {
            Pace::Percent(percent) => (speed * percent / 100.0, percent / 100.0),
            Pace::Tool(speed) => (speed, 1.0),
            Pace::Seconds(seconds) => return seconds,
        };
        trapezoid(change.position, speed, acceleration).max(trapezoid(change.angle, spin * share, spin_up))
    }
}

/// Time for a distance from rest to rest, speeding up and slowing down evenly.
fn trapezoid(distance: f64, speed: f64, acceleration: f64) -> f64 {
    if distance == 0.0 {
        0.0
    } else if distance * acceleration >= speed * speed {
        distance / speed + speed / acceleration
    } else {
        2.0 * (distance / acceleration).sqrt()
    }
}

impl Host for VirtualController {
    fn start(&mut self) -> Vec<f64> {
        self.joints(&self.start)
    }

    fn ready(&mut self) -> Vec<f64> {
        self.ready.clone()
    }

    fn turns(&self, joint: usize) -> bool {
        self.variables.get(joint).is_some_and(|&v| self.robot.variables()[v].movement == JointAxisKind::Turn)
    }

    fn flange(&mut self, joints: &[f64]) -> Pose {
        let values = self.values(joints);
        let mut poses = vec![Pose::IDENTITY; self.robot.links().len()];
        self.robot.link_poses(&values, &mut poses);
        poses[self.tip]
    }

    /// Returns the arm's current branch, except for the chosen items. A wrist without a requested branch is flipped
    /// where limits require it.
    fn inverse(&mut self, flange: &Pose, near: &[f64], choice: &ArmChoice) -> Result<Vec<f64>, IkError> {
        let values = self.values(near);
        let Some(arm) = &self.closed else {
            let found = solve_ik(&self.robot, self.tip, flange, &values, &IkOptions::default())?;
            return Ok(self.joints(&found.values));
        };
        let now = arm.branch_of(&values);
        let wanted = Branch {
            shoulder: choice.shoulder.unwrap_or(now.shoulder),
            elbow: choice.elbow.unwrap_or(now.elbow),
            wrist: choice.wrist.unwrap_or(now.wrist),
        };
        let all = arm.solve_all(&self.robot, flange, &values)?;
        let arm_fits = |s: &&Solution| (s.branch.shoulder, s.branch.elbow) == (wanted.shoulder, wanted.elbow);
        // At a wrist in line both bends are one.
        let fits = |s: &&Solution| arm_fits(s) && (s.wrist_in_line || s.branch.wrist == wanted.wrist);
        let within = |s: &&Solution| s.beyond.is_none();
        let first = all.iter().find(|s| fits(s) && within(s));
        let other = || all.iter().find(|s| choice.wrist.is_none() && arm_fits(s) && within(s));
        let Some(solution) = first.or_else(other).or_else(|| all.iter().find(fits)) else {
            return Err(IkError::Branch { branch: wanted.to_string(), count: all.len() });
        };
        if let Some(joint) = solution.beyond {
            let variable = &self.robot.variables()[arm.variables()[joint]];
            return Err(IkError::Limits {
                count: 1,
                variable: variable.name.clone(),
                value: solution.joints[joint],
                range: variable.limits.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]),
            });
        }
        let placed = arm.place(&values, solution);
        Ok(self.joints(&placed))
    }

    fn begin(&mut self, motion: &MotionRequest<'_>) -> Result<f64, String> {
        let values = self.values(motion.to);
        self.robot.check_limits(&values).map_err(|error| error.to_string())?;
        let seconds = match (motion.kind, motion.pace) {
            (MotionKind::Rest, Pace::Seconds(seconds)) => seconds,
            (MotionKind::Rest, _) => 0.0,
            (MotionKind::Straight, _) => self.straight_seconds(motion),
            (MotionKind::Joint, Pace::Percent(percent)) => {
                self.joint_seconds(motion.from, motion.to, percent / 100.0)
            }
            (MotionKind::Joint, Pace::Seconds(seconds)) => seconds,
            (MotionKind::Joint, Pace::Tool(speed)) => {
                let (from, to) = (self.flange(motion.from), self.flange(motion.to));
                let length = from.translation.distance(to.translation);
                let slowest = self.joint_seconds(motion.from, motion.to, 1.0);
                slowest.max(trapezoid(length, speed, self.slide_speed[1]))
            }
        };
        let (path, deviation) = match motion.kind {
            MotionKind::Straight => {
                let followed = self.straight_path(motion)?;
                (followed.motion, followed.deviation)
            }
            _ => {
                let from = self.values(motion.from);
                let path = JointMotion::between(self.robot.clone(), Pose::IDENTITY, &from, &values);
                (path.map_err(|error| error.to_string())?, 0.0)
            }
        };
        let (kind, to, blends) = (motion.kind, motion.to.to_vec(), motion.blends);
        let path = Arc::new(path);
        self.record(
            motion.time,
            motion.place,
            TraceKind::Motion { kind, to, path, deviation, seconds, blends },
        );
        Ok(seconds)
    }

    fn stopped(&mut self, time: f64, joints: &[f64]) {
        let place = self.trace.last().map_or(Place { line: 1, column: 1 }, |trace| trace.place);
        self.record(time, place, TraceKind::Stopped { joints: joints.to_vec() });
    }

    fn grip(&mut self, grip: &Grip) -> Result<Gripped, String> {
        let [open, closed] = self.gripper;
        let opening = match (grip.open, grip.opening) {
            (true, Some(opening)) => opening.clamp(closed, open),
            (true, None) => open,
            (false, _) => closed,
        };
        self.record(grip.time, grip.place, TraceKind::Grip { open: grip.open, opening });
        Ok(Gripped { opening, seconds: 0.0 })
    }

    fn input(&mut self, signal: u32, time: f64) -> bool {
        let until = self.inputs.partition_point(|change| change.0 <= time);
        self.inputs[..until].iter().rev().find(|change| change.1 == signal).is_some_and(|change| change.2)
    }

    fn next_input(&mut self, after: f64, _until: f64) -> Option<f64> {
        let next = self.inputs.partition_point(|change| change.0 <= after);
        self.inputs.get(next).map(|change| change.0)
    }

    fn output(&mut self, signal: u32, on: bool, time: f64, place: Place) {
        self.record(time, place, TraceKind::Output { signal, on });
    }

    fn show(&mut self, text: &str, time: f64, place: Place) {
        self.record(time, place, TraceKind::Shown(text.to_owned()));
    }
}
