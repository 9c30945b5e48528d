//! Scenes and statements of robot cells.

use crate::ProofError;
use crate::scene::{Joint, JointKind, Link, Scene};
use crate::statement::{Region, Statement};
use noli::Pose;
use noli_robot::cell::{Cell, Domain, PairProof, PairRule, Reachability};
use noli_robot::{JointAxisKind, Robot, Variable};

/// A robot cell as the scene of a certificate.
#[derive(Clone, Debug)]
pub struct CellScene {
    /// The scene; the first of its bodies are those of the cell, in the same order.
    pub scene: Scene,
    /// For each joint of the scene, the number of its value in a configuration of the cell.
    pub value_of: Vec<usize>,
    /// The link of each link of the cell.
    link_of: Vec<usize>,
    /// The body and the part of each shape of the cell's present state.
    part_of: Vec<(usize, usize)>,
}

impl CellScene {
    /// Describes the robots, obstacles and attached objects of a cell.
    pub fn new(cell: &Cell) -> Result<Self, ProofError> {
        let mut scene = Scene::default();
        let (mut value_of, mut link_of, mut first_value) = (Vec::new(), Vec::new(), 0);
        for (robot, root) in cell.robots().zip(cell.roots()) {
            let first_link = link_of.len();
            link_of.resize(first_link + robot.links().len(), 0);
            let name = robot.links()[robot.root()].name.clone();
            link_of[first_link + robot.root()] =
                scene.add_link(Link { name, parent: 0, origin: *root, joint: None })?;
            for limb in robot.limbs() {
                let parent = link_of[first_link + limb.parent as usize];
                let child = limb.child as usize;
                link_of[first_link + child] = add_limb(&mut scene, robot, child, parent, |variable| {
                    value_of.push(first_value + variable);
                })?;
            }
            first_value += robot.variables().len();
        }
        follow(&mut scene, cell, &value_of);
        let mut described = Self { scene, value_of, link_of, part_of: Vec::new() };
        described.set_state(cell)?;
        Ok(described)
    }

    /// Takes the bodies of another state of the same cell, with objects attached or released: those that are where they
    /// were remain, the others are added. Later statements are about this state.
    pub fn set_state(&mut self, cell: &Cell) -> Result<(), ProofError> {
        let mut part_of = Vec::new();
        for ((part, model), body) in cell.shapes().zip(cell.bodies()) {
            let link = body.carrier().map_or(0, |link| self.link_of[link]);
            let (described, pose) = (&cell.parts()[part], body.carrier_from_body());
            let (name, padding) = (&described.name, described.padding);
            let number = match self.scene.find_body(name, link, model, (pose, padding)) {
                Some(number) if !part_of.iter().any(|(body, _)| *body == number) => number,
                _ => self.scene.add_body(name, link, model, pose, padding)?,
            };
            part_of.push((number, part));
        }
        self.part_of = part_of;
        Ok(())
    }

    /// A configuration of the cell in the order of the scene's joints.
    pub fn values(&self, configuration: &[f64]) -> Vec<f64> {
        self.value_of.iter().map(|&value| configuration[value]).collect()
    }

    /// The statements that a cell is collision-free in a region, one for each margin of its pairs. Disabled pairs are
    /// listed with their reasons; a single statement is complete.
    pub fn collision_free(&self, cell: &Cell, title: &str, region: &Region) -> Vec<Statement> {
        let mut groups: Vec<(f64, Vec<[usize; 2]>)> = Vec::new();
        let mut disabled = Vec::new();
        for pair in cell.pairs() {
            let bodies = self.bodies_of(pair.parts);
            match &pair.rule {
                PairRule::Disabled(reason) => {
                    let listed = bodies.into_iter().filter(|[a, b]| self.scene.is_pair(*a, *b));
                    disabled.extend(listed.map(|pair| (pair, reason.to_string())));
                }
                PairRule::Checked { margin } => {
                    let padding: f64 = pair.parts.iter().map(|&part| cell.parts()[part].padding).sum();
                    let clearance = (margin - padding).max(0.0);
                    match groups.iter_mut().find(|(other, _)| *other == clearance) {
                        Some((_, pairs)) => pairs.extend(bodies),
                        None => groups.push((clearance, bodies)),
                    }
                }
            }
        }
        groups.retain(|(_, pairs)| !pairs.is_empty());
        let complete = groups.len() == 1 && self.part_of.len() == self.scene.body_count();
        let statement = |(clearance, pairs)| Statement {
            title: title.to_owned(),
            clearance,
            disabled: disabled.clone(),
            complete,
            ..Statement::separated(pairs, region.clone())
        };
        groups.into_iter().map(statement).collect()
    }

    /// The statements of proofs about pairs of a cell, each with a title: never, always or can collide, in the domain of
    /// the proof; none for an undecided pair.
    pub fn reachability(&self, cell: &Cell, proofs: &[PairProof]) -> Vec<(String, Option<Statement>)> {
        let statement = |proof: &PairProof| {
            let [a, b] = cell.pair_names(proof.pair);
            let bodies = self.bodies_of(cell.pairs()[proof.pair].parts);
            let (word, statement) = match &proof.meeting {
                Reachability::Never { domain } => {
                    ("never collide", Some(Statement::separated(bodies, self.region(cell, domain))))
                }
                Reachability::Always { domain } => {
                    ("always collide", Some(Statement::colliding(bodies, self.region(cell, domain))))
                }
                Reachability::Possible { witness } => {
                    let at = Region::At(self.values(witness));
                    ("can collide", Some(Statement::colliding(bodies, at)))
                }
                Reachability::Undecided => ("are undecided", None),
            };
            let disabled = match &cell.pairs()[proof.pair].rule {
                PairRule::Disabled(reason) => format!(" ({reason})"),
                PairRule::Checked { .. } => String::new(),
            };
            let name = |value: usize| cell.variable(value).name.as_str();
            let within = proof.meeting.domain().map_or(String::new(), |domain| domain.words(name));
            let title = format!("{a} and {b} {word}{within}{disabled}");
            (title.clone(), statement.map(|statement| Statement { title, ..statement }))
        };
        proofs.iter().map(statement).collect()
    }

    /// The pairs of bodies of two parts.
    pub fn bodies_of(&self, parts: [usize; 2]) -> Vec<[usize; 2]> {
        let of =
            |part: usize| self.part_of.iter().filter(move |(_, other)| *other == part).map(|(body, _)| *body);
        of(parts[0]).flat_map(|a| of(parts[1]).map(move |b| [a, b])).collect()
    }

    /// The joint values of a domain of the cell; joints that it is not about have all of theirs.
    pub fn region(&self, cell: &Cell, domain: &Domain) -> Region {
        let range = |(joint, &value): (&Joint, &usize)| {
            let own = || domain.range(value).unwrap_or_else(|| cell.variable(value).all_values());
            joint.mimic.is_none().then(own)
        };
        Region::Box(self.scene.joints().zip(&self.value_of).map(range).collect())
    }
}

/// Adds the links of a joint, one for each of its steps; the last.
fn add_limb(
    scene: &mut Scene,
    robot: &Robot,
    child: usize,
    parent: usize,
    mut add_variable: impl FnMut(usize),
) -> Result<usize, ProofError> {
    let Some(number) = robot.joint_of_link(child) else { return Ok(parent) };
    let Some(limb) = robot.limbs().iter().find(|limb| limb.child as usize == child) else {
        return Ok(parent);
    };
    let (described, steps) = (&robot.joints()[number], robot.steps(limb));
    let mut at = parent;
    for (k, step) in steps.iter().enumerate() {
        let last = k + 1 == steps.len();
        let name = &robot.links()[child].name;
        let name = if last { name.clone() } else { format!("#{name}/{k}") };
        let origin = match step.variable {
            _ if k == 0 => described.parent_from_joint,
            None => described.joint_from_child,
            Some(_) => Pose::IDENTITY,
        };
        let joint = step.variable.map(|(kind, variable)| {
            add_variable(variable as usize);
            joint(&robot.variables()[variable as usize], kind, step.axis)
        });
        at = scene.add_link(Link { name, parent: at, origin, joint })?;
    }
    Ok(at)
}

fn joint(variable: &Variable, kind: JointAxisKind, axis: noli::glam::DVec3) -> Joint {
    let kind = match kind {
        JointAxisKind::Turn => JointKind::Turn,
        JointAxisKind::Slide => JointKind::Slide,
    };
    Joint { name: variable.name.clone(), kind, axis, limits: variable.limits.range, mimic: None }
}

/// Sets the joints that follow others.
fn follow(scene: &mut Scene, cell: &Cell, value_of: &[usize]) {
    let mut first = 0;
    for robot in cell.robots() {
        for (number, variable) in robot.variables().iter().enumerate() {
            let place = |value: usize| value_of.iter().position(|&other| other == first + value);
            if let Some(law) = variable.mimic
                && let (Some(own), Some(of)) = (place(number), place(law.of))
            {
                scene.set_mimic(own, (of, law.multiplier, law.offset));
            }
        }
        first += robot.variables().len();
    }
}
