//! Robots made of parts and joints: part 0 is fixed, every joint connects a part to one of a larger number.

use crate::store::{counted, keep, pose_from};
use crate::{Store, StoreError};
use glam::{DMat3, DVec3};
use noli_geom::Pose;
use noli_robot::{Geometry, GeometryKind, Inertial, Joint, JointKind, Limits, Link, Mimic, Parts, Robot};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use std::collections::HashMap;

/// A robot as it is stored.
#[derive(Clone, Debug)]
pub struct StoredRobot {
    /// Its name.
    pub name: String,
    /// Links and joints; links in the order of their numbers.
    pub parts: Parts,
    /// The description it was read from, if it was.
    pub text: Option<String>,
    /// Its meshes: the name in the description, the component, the hash of its file and the format of that.
    pub meshes: Vec<StoredMesh>,
}

/// A mesh of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMesh {
    /// Its name in the description.
    pub file: String,
    /// The component.
    pub component: String,
    /// The hash of its file.
    pub blob: String,
    /// The format of the file.
    pub format: String,
}

/// Returns the links ordered so that each follows its parent; the root first.
fn order(robot: &Robot) -> Vec<usize> {
    let mut order = vec![robot.root()];
    let mut next = 0;
    while let Some(&link) = order.get(next) {
        next = next.saturating_add(1);
        order.extend(
            (0..robot.joints().len()).filter(|&j| robot.ends(j)[0] == link).map(|j| robot.ends(j)[1]),
        );
    }
    order
}

/// Numbers of a link's mass: mass, seven of the centre, nine of the tensor.
fn inertial_text(inertial: &Inertial) -> String {
    let mut numbers = vec![inertial.mass];
    numbers.extend(inertial.link_from_center.to_array());
    numbers.extend(inertial.inertia.to_cols_array());
    serde_json::to_string(&numbers).unwrap_or_default()
}

fn inertial_from(text: &str) -> Option<Inertial> {
    let n: Vec<f64> = serde_json::from_str(text).ok()?;
    let [mass, rest @ ..] = n.as_slice() else { return None };
    let (center, tensor) = rest.split_first_chunk()?;
    let inertia = DMat3::from_cols_array(&tensor.try_into().ok()?);
    Some(Inertial { mass: *mass, link_from_center: Pose::from_array(*center), inertia })
}

/// A robot to be stored.
pub(crate) struct NewRobot<'a> {
    /// Its unique name.
    pub(crate) name: &'a str,
    /// Its links and joints.
    pub(crate) robot: &'a Robot,
    /// The description it was read from.
    pub(crate) text: Option<&'a str>,
    /// Components of its meshes by the names of their files.
    pub(crate) components: &'a HashMap<String, i64>,
}

/// Inserts a robot in a transaction; with `replace`, in place of the one of that name.
pub(crate) fn insert(tx: &Transaction<'_>, new: &NewRobot<'_>, replace: bool) -> rusqlite::Result<()> {
    let NewRobot { name, robot, text, components } = *new;
    if replace {
        tx.execute("DELETE FROM manipulator WHERE name = ?1", [name])?;
    }
    let text = text.map(|text| keep(tx, text.as_bytes())).transpose()?;
    tx.execute("INSERT INTO manipulator (name, text) VALUES (?1, ?2)", (name, &text))?;
    let id = tx.last_insert_rowid();
    let mut numbers: HashMap<usize, i64> = HashMap::new();
    for (part, number) in order(robot).into_iter().zip(0..) {
        numbers.insert(part, number);
        let Some(link) = robot.links().get(part) else { continue };
        let mass = link.inertial.as_ref().map(|inertial| inertial.mass);
        tx.execute(
            "INSERT INTO part (manipulator, id, name, mass, inertial) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![id, number, link.name, mass, link.inertial.as_ref().map(inertial_text)],
        )?;
        for (role, list) in [("collision", &link.collision), ("visual", &link.visual)] {
            for (seq, geometry) in list.iter().enumerate() {
                insert_shape(tx, [id, number, counted(seq)], role, geometry, components)?;
            }
        }
    }
    for (k, joint) in robot.joints().iter().enumerate() {
        let ends = robot.ends(k).map(|link| numbers.get(&link).copied().unwrap_or(0));
        insert_joint(tx, [id, counted(k.saturating_add(1))], joint, ends)?;
    }
    Ok(())
}

/// Inserts a shape by the numbers of its robot, of its part and within that.
fn insert_shape(
    tx: &Transaction<'_>,
    [id, part, seq]: [i64; 3],
    role: &str,
    geometry: &Geometry,
    components: &HashMap<String, i64>,
) -> rusqlite::Result<()> {
    let (kind, [a, b, c], file) = match &geometry.form {
        GeometryKind::Box { size } => ("box", size.to_array(), None),
        GeometryKind::Cylinder { radius, length } => ("cylinder", [*radius, *length, 0.0], None),
        GeometryKind::Capsule { radius, length } => ("capsule", [*radius, *length, 0.0], None),
        GeometryKind::Sphere { radius } => ("sphere", [*radius, 0.0, 0.0], None),
        GeometryKind::Mesh { file, scale } => ("mesh", scale.to_array(), Some(file)),
    };
    let component = file.and_then(|file| components.get(file));
    let [x, y, z, qx, qy, qz, qw] = geometry.link_from_shape.to_array();
    tx.execute(
        "INSERT INTO part_shape (manipulator, part, seq, role, kind, component, file, a, b, c, \
         x, y, z, qx, qy, qz, qw) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        params![id, part, seq, role, kind, component, file, a, b, c, x, y, z, qx, qy, qz, qw],
    )?;
    Ok(())
}

/// Inserts a joint between two parts by the numbers of its robot and its own, and disables the pair of its links.
fn insert_joint(
    tx: &Transaction<'_>,
    [id, number]: [i64; 2],
    joint: &Joint,
    [fixed, moving]: [i64; 2],
) -> rusqlite::Result<()> {
    let (name, kind) = (&joint.name, joint.kind.word());
    let [x, y, z, qx, qy, qz, qw] = joint.parent_from_joint.to_array();
    let [cx, cy, cz, cqx, cqy, cqz, cqw] = joint.joint_from_child.to_array();
    let [ax, ay, az] = joint.axis.to_array();
    let [lower, upper] = joint.limits.range.map_or([None; 2], |range| range.map(Some));
    let Limits { velocity, acceleration: change, effort, .. } = joint.limits;
    let mimic = joint.mimic.as_ref();
    let follows = mimic.map(|mimic| &mimic.joint);
    let (multiplier, added) = (mimic.map(|mimic| mimic.multiplier), mimic.map(|mimic| mimic.offset));
    tx.execute(
        "INSERT INTO joint (manipulator, id, name, kind, fixed_part, moving_part, x, y, z, qx, qy, qz, qw, \
         child_x, child_y, child_z, child_qx, child_qy, child_qz, child_qw, axis_x, axis_y, axis_z, lower, \
         upper, velocity, acceleration, effort, follows, multiplier, added) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, \
         ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31)",
        params![
            id, number, name, kind, fixed, moving, x, y, z, qx, qy, qz, qw, cx, cy, cz, cqx, cqy, cqz, cqw,
            ax, ay, az, lower, upper, velocity, change, effort, follows, multiplier, added
        ],
    )?;
    // Pairs that a joint connects are disabled, unless a rule enables them.
    let mut pair = [&joint.parent, &joint.child];
    pair.sort();
    tx.execute(
        "INSERT OR IGNORE INTO pair_default (manipulator, a, b, enabled, reason) VALUES (?1, ?2, ?3, 0, ?4)",
        params![id, pair[0], pair[1], "adjacent: joined by a joint"],
    )?;
    Ok(())
}

/// Returns the link of a row of `part`.
fn link_from(row: &Row<'_>) -> rusqlite::Result<Link> {
    let mut link = Link::named(row.get::<_, String>(0)?);
    link.inertial = row.get::<_, Option<String>>(1)?.as_deref().and_then(inertial_from);
    Ok(link)
}

/// A shape of a row of `part_shape`.
struct StoredShape {
    part: usize,
    is_collision: bool,
    geometry: Geometry,
    mesh: Option<StoredMesh>,
}

fn shape_from(row: &Row<'_>) -> rusqlite::Result<StoredShape> {
    let [a, b, c]: [f64; 3] = [row.get(4)?, row.get(5)?, row.get(6)?];
    let mut mesh = None;
    let form = match row.get::<_, String>(2)?.as_str() {
        "box" => GeometryKind::Box { size: DVec3::new(a, b, c) },
        "cylinder" => GeometryKind::Cylinder { radius: a, length: b },
        "capsule" => GeometryKind::Capsule { radius: a, length: b },
        "sphere" => GeometryKind::Sphere { radius: a },
        _ => {
            let component: String = row.get(14)?;
            let file = row.get::<_, Option<String>>(3)?.unwrap_or_else(|| component.clone());
            let (blob, format) = (row.get(15)?, row.get(16)?);
            mesh = Some(StoredMesh { file: file.clone(), component, blob, format });
            GeometryKind::Mesh { file, scale: DVec3::new(a, b, c) }
        }
    };
    Ok(StoredShape {
        // Numbers below 0 are of no part.
        part: usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX),
        is_collision: row.get::<_, String>(1)? == "collision",
        geometry: Geometry { name: None, link_from_shape: pose_from(row, 7)?, form, place: None },
        mesh,
    })
}

/// Returns the joint of a row of `joint` with the names of its links.
fn joint_from(row: &Row<'_>) -> rusqlite::Result<Joint> {
    let [name, kind, parent, child]: [String; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
    let kind = JointKind::from_word(&kind).unwrap_or(JointKind::Fixed);
    let mut joint = Joint::new(name, kind, parent, child);
    joint.parent_from_joint = pose_from(row, 4)?;
    joint.joint_from_child = pose_from(row, 11)?;
    joint.axis = DVec3::new(row.get(18)?, row.get(19)?, row.get(20)?);
    let (lower, upper): (Option<f64>, Option<f64>) = (row.get(21)?, row.get(22)?);
    joint.limits = Limits {
        range: lower.zip(upper).map(|(lower, upper)| [lower, upper]),
        velocity: row.get(23)?,
        acceleration: row.get(24)?,
        effort: row.get(25)?,
    };
    if let Some(follows) = row.get::<_, Option<String>>(26)? {
        joint.mimic = Some(Mimic { joint: follows, multiplier: row.get(27)?, offset: row.get(28)? });
    }
    Ok(joint)
}

impl Store {
    /// Stores a robot whose geometry is plain bodies, or components of the store by the names that meshes have.
    pub fn add_robot(&mut self, name: &str, robot: &Robot, replace: bool) -> Result<(), StoreError> {
        let mut components = HashMap::new();
        for link in robot.links() {
            for geometry in link.collision.iter().chain(&link.visual) {
                if let GeometryKind::Mesh { file, .. } = &geometry.form {
                    let id = self.component_id(file)?;
                    components.insert(file.clone(), id);
                }
            }
        }
        let new = NewRobot { name, robot, text: None, components: &components };
        self.change(|tx| insert(tx, &new, replace))
            .map_err(|error| crate::component::taken(error, "manipulator", name))
    }

    pub(crate) fn component_id(&self, name: &str) -> Result<i64, StoreError> {
        let found =
            self.connection.query_row("SELECT id FROM component WHERE name = ?1", [name], |row| row.get(0));
        let found = found.optional().map_err(|error| self.wrong(error))?;
        found.ok_or_else(|| self.no_such("component", name))
    }

    /// A robot by its name.
    pub fn robot(&self, name: &str) -> Result<StoredRobot, StoreError> {
        let at = |error| self.wrong(error);
        let found: Option<(i64, Option<String>)> = self
            .connection
            .query_row("SELECT id, text FROM manipulator WHERE name = ?1", [name], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(at)?;
        let (id, text) = found.ok_or_else(|| self.no_such("manipulator", name))?;
        let text = text.map(|hash| self.blob(&hash)).transpose()?;
        let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let links = "SELECT name, inertial FROM part WHERE manipulator = ?1 ORDER BY id";
        let mut links = self.rows(links, [id], link_from)?;
        let shapes = "SELECT s.part, s.role, s.kind, s.file, s.a, s.b, s.c, s.x, s.y, s.z, s.qx, s.qy, s.qz, s.qw, \
             c.name, c.blob, c.format FROM part_shape s LEFT JOIN component c ON c.id = s.component \
             WHERE s.manipulator = ?1 ORDER BY s.part, s.role, s.seq";
        let mut meshes: Vec<StoredMesh> = Vec::new();
        for StoredShape { part, is_collision, geometry, mesh } in self.rows(shapes, [id], shape_from)? {
            meshes.extend(mesh.filter(|mesh| !meshes.contains(mesh)));
            if let Some(link) = links.get_mut(part) {
                if is_collision { link.collision.push(geometry) } else { link.visual.push(geometry) }
            }
        }
        let joints = "SELECT j.name, j.kind, f.name, m.name, j.x, j.y, j.z, j.qx, j.qy, j.qz, j.qw, j.child_x, \
             j.child_y, j.child_z, j.child_qx, j.child_qy, j.child_qz, j.child_qw, j.axis_x, j.axis_y, \
             j.axis_z, j.lower, j.upper, j.velocity, j.acceleration, j.effort, j.follows, j.multiplier, j.added \
             FROM joint j JOIN part f ON f.manipulator = j.manipulator AND f.id = j.fixed_part \
             JOIN part m ON m.manipulator = j.manipulator AND m.id = j.moving_part \
             WHERE j.manipulator = ?1 ORDER BY j.id";
        let joints = self.rows(joints, [id], joint_from)?;
        let parts = Parts { name: name.to_owned(), links, joints };
        Ok(StoredRobot { name: name.to_owned(), parts, text, meshes })
    }

    /// Enables or disables a pair of links, overriding the default.
    pub fn set_pair(
        &mut self,
        manipulator: &str,
        links: [&str; 2],
        enabled: bool,
        margin: Option<f64>,
        reason: &str,
    ) -> Result<(), StoreError> {
        let mut links = links;
        links.sort_unstable();
        let what = || format!("the pair of `{}` and `{}`", links[0], links[1]);
        if links[0] == links[1] || !margin.is_none_or(|margin| margin.is_finite() && margin >= 0.0) {
            let remedy = "name two links, and a margin of at least 0 in metres";
            return Err(StoreError::unfit(what(), "invalid pair or margin", remedy));
        }
        let known = "SELECT p.name FROM part p JOIN manipulator m ON m.id = p.manipulator WHERE m.name = ?1";
        let known = self.column(known, manipulator)?;
        if known.is_empty() {
            return Err(self.no_such("manipulator", manipulator));
        }
        if !links.iter().all(|link| known.iter().any(|known| known == link)) {
            let remedy = format!("the links of `{manipulator}` are {}", known.join(", "));
            return Err(StoreError::unfit(what(), "a link is not known", remedy));
        }
        self.change(|tx| {
            tx.execute(
                "INSERT INTO pair_edit (manipulator, a, b, enabled, margin, reason) \
                 SELECT id, ?2, ?3, ?4, ?5, ?6 FROM manipulator WHERE name = ?1 \
                 ON CONFLICT (manipulator, a, b) DO UPDATE SET enabled = ?4, margin = ?5, reason = ?6",
                params![manipulator, links[0], links[1], enabled, margin, reason],
            )
        })
        .map(|_| ())
    }
}
