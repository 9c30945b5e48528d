//! Formulas, files, poses and boxes from the command line.

use anyhow::{Result, anyhow, ensure};
use glam::{DQuat, DVec3};
use noli::Shape;
use noli::answer::Location;
use noli::model::MeshKind;
use noli_formats::{MeshFormat, ReadOptions};
use noli_geom::{Aabb, Pose};
use noli_implicit::{Field, FieldQuery};
use std::path::Path;

/// Number of cells searched for a point of a formula.
const FEW_CELLS: u64 = 20_000;

/// An object with a name and a place.
pub struct Object {
    pub(super) name: String,
    /// Its shape.
    pub shape: Shape,
    /// Its pose.
    pub pose: Pose,
}

impl Object {
    /// Returns `true` if it is proven bounded.
    pub fn is_bounded(&self) -> bool {
        !matches!(&self.shape, Shape::Field(field) if !field.is_bounded())
    }

    /// Returns `true` if a formula is proven to contain no point.
    pub(super) fn is_empty(&self) -> bool {
        let query = FieldQuery { cells: FEW_CELLS, ..Default::default() };
        matches!(&self.shape, Shape::Field(field) if field.is_empty(&query) == Some(true))
    }

    /// Returns the error text for a formula that contains no point.
    pub(super) fn no_point(&self, bounds: Option<Aabb>) -> String {
        let place = bounds.map_or(String::new(), |Aabb { min, max }| {
            format!(" inside the box {},{},{},{},{},{}", min.x, max.x, min.y, max.y, min.z, max.z)
        });
        format!(
            "`{}` has no point{place}, so there is nothing to compare; inside is where the formula holds, or where its \
             value is zero or negative",
            self.name
        )
    }

    /// Returns `true` if a point is proven to belong to it, including the rounding of its position.
    pub(super) fn holds(&self, point: DVec3) -> bool {
        match &self.shape {
            Shape::Field(field) => {
                let own = self.pose.inverse().transform_point(point);
                let far = own.abs().max_element()
                    + point.abs().max_element()
                    + self.pose.translation.abs().max_element();
                // The inverse pose and the product are rounded, unless there is nothing to turn and to move.
                let rounding = if self.pose == Pose::IDENTITY { 0.0 } else { 1e-14 * far };
                field.range_on(&Aabb { min: own, max: own }.expanded(rounding)).hi() <= 0.0
            }
            shape => {
                let model = noli::Model::new(shape.clone());
                model.is_ok_and(|model| {
                    matches!(
                        noli::locate_point(&model.at(self.pose), point),
                        Location::Inside | Location::OnSurface
                    )
                })
            }
        }
    }

    /// From a formula or a file that holds one.
    pub(super) fn read(text: &str, pose: Option<Pose>, bounds: Option<Aabb>) -> Result<Self> {
        let path = Path::new(text);
        let name: String = text.chars().take(60).collect();
        let pose = pose.unwrap_or_default();
        if MeshFormat::from_extension(path).is_some() {
            return Ok(Self { name, shape: read_mesh(path)?, pose });
        }
        let is_vm = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("vm"));
        // A formula may contain a slash, a file need not have a dot: what exists is a file.
        // A formula never has the form of the name of a text file.
        let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("txt"));
        let field = if is_vm || is_text || path.is_file() {
            noli_project::read_field(path)?
        } else {
            Field::parse(text).map_err(|error| anyhow!("formula (there is no file of that name), {error}"))?
        };
        let field = match bounds {
            Some(bounds) => field.within(bounds),
            None => field,
        };
        let object = Self { name, shape: Shape::Field(field), pose };
        ensure!(!object.shape.aabb().is_empty(), object.no_point(bounds));
        Ok(object)
    }
}

/// A closed, consistently oriented mesh is a solid, any other a surface.
fn read_mesh(path: &Path) -> Result<Shape> {
    let mesh = noli_formats::read_mesh(path, &ReadOptions { weld: Some(true), ..Default::default() })?;
    let kind = if mesh.report().flaw().is_none() { MeshKind::Solid } else { MeshKind::Surface };
    Ok(mesh.with_kind(kind).into())
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(',')
        .map(|part| match part.trim().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(format!("`{}` is not a number", part.trim())),
        })
        .collect()
}

/// `x,y,z` or `x,y,z,qx,qy,qz,qw`.
pub fn pose(text: &str) -> Result<Pose, String> {
    let pose = match numbers(text)?.as_slice() {
        &[x, y, z] => Pose::from_translation(DVec3::new(x, y, z)),
        &[x, y, z, qx, qy, qz, qw] => Pose::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z)),
        other => {
            return Err(format!("{} numbers; a pose has 3 (x,y,z) or 7 (x,y,z,qx,qy,qz,qw)", other.len()));
        }
    };
    if pose.is_valid() {
        Ok(pose)
    } else {
        Err("the quaternion must not be zero, nor places out of reach".into())
    }
}

/// `x0,x1,y0,y1,z0,z1`.
pub(super) fn bounds(text: &str) -> Result<Aabb, String> {
    match numbers(text)?.as_slice() {
        &[x0, x1, y0, y1, z0, z1] if x0 <= x1 && y0 <= y1 && z0 <= z1 => {
            Ok(Aabb { min: DVec3::new(x0, y0, z0), max: DVec3::new(x1, y1, z1) })
        }
        &[_, _, _, _, _, _] => Err("the first of each two numbers must be the smaller".into()),
        other => Err(format!("{} numbers; a box has 6: x0,x1,y0,y1,z0,z1", other.len())),
    }
}

/// A positive share.
pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1.0 => Ok(value),
        _ => Err("a share is a number above 0 and at most 1, such as 1e-6".into()),
    }
}
