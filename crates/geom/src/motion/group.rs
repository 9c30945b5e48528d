//! Bodies that move together: one evaluation gives the poses of all.

use super::Motion;
use super::carried::rounding;
use super::rigid::ROUNDINGS;
use crate::number::round;
use crate::{Pose, Sphere};
use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::{Arc, Weak};

/// Motion of several bodies, computed for all of them at once, such as the links of a robot. Its chain of
/// joints is evaluated once per time.
///
/// The bounds of every member satisfy the contract of [`Motion`]. Poses depend on the time alone. The
/// motion of one member is a [`GroupMember`].
pub trait GroupMotion: Debug + Send + Sync {
    /// Returns the number of bodies it moves.
    fn members(&self) -> usize;

    /// The poses of all members at a time in [0, 1], rounded; `out` is as long as there are members.
    fn poses(&self, t: f64, out: &mut [Pose]);

    /// [`Motion::travel`] of a member.
    fn travel(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64;

    /// [`Motion::chord_deviation`] of a member.
    fn chord_deviation(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64;

    /// The next time after `t` at which a member bends abruptly, or 1; see [`Motion::next_bend`].
    fn next_bend(&self, _t: f64) -> f64 {
        1.0
    }

    /// Returns `true` if members keep their relative poses, up to rounding, so that pairs of them need no test.
    fn is_rigid(&self) -> bool {
        false
    }
}

/// One body of a [`GroupMotion`].
///
/// Every thread caches its last few evaluations. Members queried at the same time, such as two links of a
/// robot that may collide, cost one evaluation of the group.
#[derive(Clone, Debug)]
pub struct GroupMember {
    group: Arc<dyn GroupMotion>,
    index: usize,
}

impl GroupMember {
    /// A member by number; `None` if the group has fewer.
    pub fn new(group: Arc<dyn GroupMotion>, index: usize) -> Option<Self> {
        (index < group.members()).then_some(Self { group, index })
    }

    /// All members, in order.
    pub fn all(group: &Arc<dyn GroupMotion>) -> impl Iterator<Item = Self> + '_ {
        (0..group.members()).map(|index| Self { group: group.clone(), index })
    }

    /// The group it belongs to.
    pub fn group(&self) -> &Arc<dyn GroupMotion> {
        &self.group
    }

    /// Its number in the group.
    pub fn index(&self) -> usize {
        self.index
    }
}

impl Motion for GroupMember {
    fn pose(&self, t: f64) -> Pose {
        remembered(&self.group, t, self.index)
    }

    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.group.travel(self.index, sphere, t0, t1)
    }

    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.group.chord_deviation(self.index, sphere, t0, t1)
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.group.next_bend(t)
    }
}

/// An evaluation of a group. A weak reference keeps the address from being used again, so that no other group
/// is ever taken for this one.
struct Evaluation {
    group: Weak<dyn GroupMotion>,
    time: u64,
    poses: Vec<Pose>,
}

/// The latest evaluations of a thread.
#[derive(Default)]
struct Latest {
    evaluations: Vec<Evaluation>,
    /// Index of the entry that the next one replaces, once the cache is full.
    oldest: usize,
    /// Memory of the one replaced last.
    spare: Vec<Pose>,
}

/// Evaluations that a thread remembers: enough for both ends of an interval, its middle and the ends of the
/// motion.
const REMEMBERED: usize = 8;

thread_local! {
    static LATEST: RefCell<Latest> = RefCell::default();
}

/// The pose of a member, from memory if the group was evaluated at this time.
fn remembered(group: &Arc<dyn GroupMotion>, t: f64, member: usize) -> Pose {
    LATEST.with(|latest| {
        let time = t.to_bits();
        let is_this = |evaluation: &&Evaluation| {
            evaluation.time == time && std::ptr::addr_eq(evaluation.group.as_ptr(), Arc::as_ptr(group))
        };
        if let Some(found) = latest.borrow().evaluations.iter().find(is_this) {
            return found.poses[member];
        }
        // Not borrowed while the group is evaluated, because that may ask about members of other groups.
        let mut poses = std::mem::take(&mut latest.borrow_mut().spare);
        poses.resize(group.members(), Pose::IDENTITY);
        group.poses(t, &mut poses);
        let pose = poses[member];
        latest.borrow_mut().keep(Evaluation { group: Arc::downgrade(group), time, poses });
        pose
    })
}

impl Latest {
    fn keep(&mut self, evaluation: Evaluation) {
        if self.evaluations.len() < REMEMBERED {
            return self.evaluations.push(evaluation);
        }
        self.spare = std::mem::replace(&mut self.evaluations[self.oldest], evaluation).poses;
        self.oldest = (self.oldest + 1) % REMEMBERED;
    }
}

/// One motion, and bodies that stay where they are relative to it: a tool and what it holds.
#[derive(Clone, Debug)]
pub struct RigidGroup {
    motion: Arc<dyn Motion>,
    /// Start pose of the motion.
    start: Pose,
    members: Vec<Member>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    /// Start pose, reproduced bit for bit.
    start: Pose,
    leader_from_member: Pose,
}

impl RigidGroup {
    /// Bodies that begin at the given poses and keep their places relative to what moves by `motion`, which
    /// may be one of them or a frame of its own.
    ///
    /// ```
    /// use noli_geom::{GroupMember, GroupMotion, Motion, Pose, RigidGroup, RigidMotion};
    /// use glam::DVec3;
    /// use std::sync::Arc;
    /// let quarter = std::f64::consts::FRAC_PI_2;
    /// let turn = RigidMotion::screw(&Pose::IDENTITY, DVec3::ZERO, DVec3::Z, quarter, 0.0);
    /// let [near, far] = [1.0, 2.0].map(|x| Pose::from_translation(DVec3::X * x));
    /// let group: Arc<dyn GroupMotion> = Arc::new(RigidGroup::new(Arc::new(turn), &[near, far]));
    /// let far = GroupMember::new(group, 1).unwrap();
    /// assert!(far.pose(1.0).translation.abs_diff_eq(2.0 * DVec3::Y, 1e-12));
    /// ```
    pub fn new(motion: Arc<dyn Motion>, starts: &[Pose]) -> Self {
        let start = motion.pose(0.0);
        let leader_from_world = start.inverse();
        let member = |&start: &Pose| Member { start, leader_from_member: leader_from_world * start };
        Self { motion, start, members: starts.iter().map(member).collect() }
    }

    /// Returns the travel of a member's sphere, a sphere around its points in the leader's frame, and a bound
    /// on the rounding of their positions.
    fn path(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> (f64, Sphere, f64) {
        let Member { start, leader_from_member } = self.members[member];
        let own = rounding(sphere.center.length() + sphere.radius, &[self.start, start, leader_from_member]);
        let center = leader_from_member.transform_point(sphere.center);
        let sphere = Sphere { center, radius: round::up(sphere.radius + own, ROUNDINGS) };
        let path = self.motion.travel(&sphere, t0, t1);
        let poses = [self.start, start, self.motion.pose(t0), self.motion.pose(t1)];
        (path, sphere, rounding(center.length() + sphere.radius + path, &poses))
    }
}

impl GroupMotion for RigidGroup {
    fn members(&self) -> usize {
        self.members.len()
    }

    fn poses(&self, t: f64, out: &mut [Pose]) {
        let leader = self.motion.pose(t);
        for (pose, member) in out.iter_mut().zip(&self.members) {
            *pose = if leader == self.start { member.start } else { leader * member.leader_from_member };
        }
    }

    /// As far as the leader would take the points.
    fn travel(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let (path, _, rounding) = self.path(member, sphere, t0, t1);
        round::up(path + rounding, ROUNDINGS)
    }

    fn chord_deviation(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let (_, sphere, rounding) = self.path(member, sphere, t0, t1);
        round::up(self.motion.chord_deviation(&sphere, t0, t1) + rounding, ROUNDINGS)
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.motion.next_bend(t)
    }

    fn is_rigid(&self) -> bool {
        true
    }
}
