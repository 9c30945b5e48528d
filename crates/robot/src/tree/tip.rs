//! The link that is the tool of a robot whose description names none.

use super::{Limb, Robot};

/// Names of tool frames, the most telling first: those of drivers and of ROS-Industrial.
const TOOL_FRAMES: [&str; 5] = ["tcp", "tool0", "tool_frame", "ee_link", "flange"];

/// Joints before a link and behind it.
#[derive(Clone, Default)]
struct Joints {
    /// Joints from the root that move by themselves, and all joints.
    before: [usize; 2],
    /// Moving joints of the longest chain behind it; those that follow another count too.
    behind: usize,
    /// Children with a moving joint before or behind them.
    branches: usize,
    /// The first link that is rigidly joined to it.
    rigid: usize,
}

impl Robot {
    /// Returns the link taken as the tool: the tip of the longest chain, before its gripper if it has one.
    ///
    /// - The longest chain has the most joints that move by themselves. Of several, it is the one with the most
    ///   joints, then the first.
    /// - A gripper begins at the first link of the chain from which two or more moving branches leave, all with
    ///   fewer joints than the chain has before it: fingers after an arm, not arms after a torso.
    /// - Of the links rigidly joined to that tip, the one named as a tool frame is taken: `tcp`, `tool0`,
    ///   `tool_frame`, `ee_link` or `flange`, in this order, with any prefix. Without such a name it is the link
    ///   at which the gripper begins, or the last link of the chain; of equally distant ends, their common parent.
    pub fn tip(&self) -> usize {
        let joints = self.count_joints();
        let mut last = self.root;
        for limb in &self.limbs {
            let (child, found) = (limb.child as usize, joints[limb.child as usize].before);
            if found > joints[last].before || (found == joints[last].before && child < last) {
                last = child;
            }
        }
        let chain = || std::iter::successors(Some(last), |&link| self.parent_link(link));
        let is_hand =
            |&link: &usize| joints[link].branches > 1 && joints[link].behind < joints[link].before[0];
        let hand = chain().filter(is_hand).last();
        let body = joints[hand.unwrap_or(last)].rigid;
        self.tool_frame(body, &joints).or(hand).unwrap_or_else(|| self.common_end(body, &joints))
    }

    /// Returns the first of the links that are rigidly joined to a link; the root where no joint before it moves.
    pub(crate) fn rigid_base(&self, mut link: usize) -> usize {
        while let Some(limb) = self.limb_of(link).filter(|limb| !self.moves(limb, false)) {
            link = limb.parent as usize;
        }
        link
    }

    /// Returns the link rigidly joined to `body` with the name of a tool frame.
    fn tool_frame(&self, body: usize, joints: &[Joints]) -> Option<usize> {
        let rank = |link: usize| {
            let name = self.links[link].name.to_ascii_lowercase();
            let is_frame = |frame: &&str| {
                let prefix = name.strip_suffix(*frame);
                prefix.is_some_and(|prefix| !prefix.ends_with(|last: char| last.is_ascii_alphanumeric()))
            };
            TOOL_FRAMES.iter().position(is_frame)
        };
        let joined = (0..self.links.len()).filter(|&link| joints[link].rigid == body);
        joined.filter_map(|link| Some((rank(link)?, link))).min().map(|(_, link)| link)
    }

    /// Returns the last of the links rigidly joined to `body`; of several, the last link before all of them.
    fn common_end(&self, body: usize, joints: &[Joints]) -> usize {
        let joined = (0..self.links.len()).filter(|&link| joints[link].rigid == body);
        let depth = |link: &usize| joints[*link].before[1];
        let farthest = joined.clone().map(|link| depth(&link)).max().unwrap_or(0);
        let mut ends: Vec<usize> = joined.filter(|link| depth(link) == farthest).collect();
        while ends.len() > 1 {
            ends = ends.iter().map(|&link| self.parent_link(link).unwrap_or(self.root)).collect();
            ends.sort_unstable();
            ends.dedup();
        }
        ends.first().copied().unwrap_or(body)
    }

    fn count_joints(&self) -> Vec<Joints> {
        let mut joints: Vec<Joints> =
            (0..self.links.len()).map(|link| Joints { rigid: link, ..Joints::default() }).collect();
        for limb in &self.limbs {
            let [parent, child] = [limb.parent, limb.child].map(|link| link as usize);
            let before = joints[parent].before;
            joints[child].before = [before[0] + usize::from(self.moves(limb, true)), before[1] + 1];
            if !self.moves(limb, false) {
                joints[child].rigid = joints[parent].rigid;
            }
        }
        for limb in self.limbs.iter().rev() {
            let [parent, child] = [limb.parent, limb.child].map(|link| link as usize);
            let behind = joints[child].behind + usize::from(self.moves(limb, false));
            joints[parent].branches += usize::from(behind > 0);
            joints[parent].behind = joints[parent].behind.max(behind);
        }
        joints
    }

    /// Returns `true` if a variable moves the limb; `alone` leaves out those that follow another.
    fn moves(&self, limb: &Limb, alone: bool) -> bool {
        let variables = self.steps(limb).iter().filter_map(|step| step.variable);
        variables.into_iter().any(|(_, number)| !alone || self.variables[number as usize].mimic.is_none())
    }

    fn parent_link(&self, link: usize) -> Option<usize> {
        self.limb_of(link).map(|limb| limb.parent as usize)
    }
}
