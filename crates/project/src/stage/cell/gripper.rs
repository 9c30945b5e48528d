//! Grippers on robots: links for their fingers, and what they hold with.

use super::loader::Loader;
use crate::data::cell::{CellGripper, CellRobot, Fingers};
use crate::data::suggest::name_one;
use crate::load::robot::LoadedRobot;
use noli::Pose;
use noli_formats::FileError;
use noli_geom::Mesh;
use noli_program::run::Grasp;
use noli_robot::{
    Geometry, GeometryKind, GeometrySource, Joint, JointAxisKind, JointKind, Limits, Link, LinkShape, Mimic,
    Robot,
};

impl Loader<'_> {
    /// The robot with a palm and two fingers on its flange.
    pub(super) fn with_gripper(
        &self,
        loaded: LoadedRobot,
        entry: &CellRobot,
        gripper: &CellGripper,
    ) -> Result<LoadedRobot, FileError> {
        let Fingers::Boxes { palm, finger, axis } = &gripper.fingers else { return Ok(loaded) };
        let flange = self.flange(entry, &loaded.robot)?;
        let flange_name = loaded.robot.links()[flange].name.clone();
        let boxed = |size: [f64; 3], place: Pose| Geometry {
            name: None,
            link_from_shape: place,
            form: GeometryKind::Box { size: size.into() },
            place: None,
        };
        let link = |name: &str, geometry: Geometry| {
            let mut link = Link::named(name);
            link.collision.push(geometry);
            link
        };
        let mut parts = loaded.robot.into_parts();
        let count = parts.links.len();
        parts.links.push(link("gripper", boxed(palm.0, palm.1)));
        parts.joints.push(Joint::new("gripper_mount", JointKind::Fixed, flange_name, "gripper"));
        // The other finger is the first one's mirror image, whose box is the same.
        let mirrored = {
            let along = finger.1.translation.dot(*axis);
            Pose::new(finger.1.rotation, finger.1.translation - 2.0 * along * *axis)
        };
        let range = Some(gripper.opening.map(|opening| 0.5 * opening));
        let limits = Limits { range, ..Limits::default() };
        for (name, place, direction) in [("finger_left", finger.1, *axis), ("finger_right", mirrored, -*axis)]
        {
            parts.links.push(link(name, boxed(finger.0, place)));
            let mut joint = Joint::new(format!("{name}_slide"), JointKind::Prismatic, "gripper", name);
            joint.axis = direction;
            joint.limits = limits;
            if name == "finger_right" {
                joint.mimic =
                    Some(Mimic { joint: "finger_left_slide".to_owned(), multiplier: 1.0, offset: 0.0 });
            }
            parts.joints.push(joint);
        }
        let robot = Robot::new(parts)
            .map_err(|error| self.error(gripper.line, error.to_string(), "rename links of the robot"))?;
        // The robot's own shapes are loaded already; those of the new links need no file.
        let mut shapes = loaded.shapes;
        for (number, link) in robot.links().iter().enumerate().skip(count) {
            for (piece, geometry) in link.collision.iter().enumerate() {
                let solid = geometry.solid(&mut |_| Err::<Mesh, String>(String::new()));
                let solid = solid.map_err(|error| {
                    self.error(gripper.line, error.to_string(), "give the boxes an ordinary size")
                })?;
                let (source, link_from_shape) = (GeometrySource::Collision, geometry.link_from_shape);
                shapes.push(LinkShape { link: number, source, piece, link_from_shape, solid });
            }
        }
        Ok(LoadedRobot { robot, shapes, warnings: loaded.warnings })
    }

    pub(super) fn grasp(
        &self,
        gripper: &CellGripper,
        robot: &Robot,
        entry: &CellRobot,
    ) -> Result<Grasp, FileError> {
        let no_such = |what: &str, name: &str, names: Vec<&str>| {
            let reason = format!("robot `{}` has no {what} `{name}`", robot.name());
            self.error(gripper.line, reason, name_one(name, names.into_iter()))
        };
        let link_called = |name: &str| {
            let names = robot.links().iter().map(|link| link.name.as_str()).collect();
            robot.link(name).ok_or_else(|| no_such("link", name, names))
        };
        let (opening, slack, seconds) = (gripper.opening, gripper.slack, gripper.seconds);
        let (link, joints): (usize, Vec<(String, [f64; 2])>) = match &gripper.fingers {
            Fingers::Boxes { .. } => {
                let half = opening.map(|opening| 0.5 * opening);
                (link_called("gripper")?, vec![("finger_left_slide".to_owned(), half)])
            }
            Fingers::Joints { link, joints } => (link_called(link)?, joints.clone()),
            Fingers::Sucker { link } => (link_called(link)?, Vec::new()),
        };
        let (mut fingers, mut finger_links) = (Vec::new(), Vec::new());
        for (name, mut ends) in joints {
            let Some(joint) = robot.joint(&name) else {
                let names = robot.joints().iter().map(|joint| joint.name.as_str()).collect();
                return Err(no_such("joint", &name, names));
            };
            let Some(variable) = robot.variable(&name) else {
                let reason = format!("joint `{name}` does not move, or in several ways");
                return Err(self.error(gripper.line, reason, "name a joint that slides or turns"));
            };
            if robot.variables()[variable].movement == JointAxisKind::Turn {
                // Given as angles: the unit of lengths does not apply.
                ends = ends.map(|x| x / self.length(1.0));
            }
            fingers.push((variable, ends));
            let follows = |k: &usize| robot.variables()[*k].mimic.is_some_and(|law| law.of == variable);
            let followers = (0..robot.variables().len()).filter(follows).map(|k| robot.variables()[k].joint);
            for joint in [joint].into_iter().chain(followers) {
                finger_links.push(robot.ends(joint)[1]);
            }
        }
        // Whatever hangs on a finger is a finger.
        for number in 0..robot.links().len() {
            let chain = robot.joints_to(number);
            let on_finger = chain.iter().any(|&joint| finger_links.contains(&robot.ends(joint)[1]));
            if on_finger && !finger_links.contains(&number) {
                finger_links.push(number);
            }
        }
        let shaped = |link: &usize| {
            let link = &robot.links()[*link];
            !link.geometry(link.collides_by(entry.visual)).is_empty()
        };
        if !shaped(&link) {
            let reason = format!("link `{}` has no shape and cannot carry", robot.links()[link].name);
            return Err(self.error(entry.line.max(gripper.line), reason, "name a link that has one"));
        }
        finger_links.retain(shaped);
        let opening = if opening[0] == opening[1] && !fingers.is_empty() {
            // As far as all fingers go together.
            [0.0, fingers.iter().map(|(_, [closed, open])| (open - closed).abs()).sum::<f64>() * 2.0]
        } else {
            opening
        };
        Ok(Grasp { link, fingers, finger_links, opening, slack, seconds })
    }
}
