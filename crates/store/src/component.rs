//! Parts with their geometry.

use crate::store::keep;
use crate::{Store, StoreError};
use noli::Model;
use noli_formats::{MeshFormat, ReadOptions, Units, read_bytes};
use noli_geom::{Mesh, MeshKind};

use rusqlite::{OptionalExtension, ToSql, Transaction};

/// A part to be stored.
#[derive(Clone, Debug)]
pub struct NewComponent<'a> {
    /// Its unique name.
    pub name: String,
    /// The bytes of the file that holds it.
    pub bytes: &'a [u8],
    /// The format of the file: its usual extension.
    pub format: String,
    /// The object of the file; all of them if `None`.
    pub object: Option<String>,
    /// The unit of the file.
    pub units: Units,
    /// Its surface, in the file's unit.
    pub mesh: &'a Mesh,
    /// In kilograms a cubic metre.
    pub density: Option<f64>,
    /// Its origin.
    pub source: String,
}

/// Properties of a part. Metres and kilograms.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentInfo {
    /// Its name.
    pub name: String,
    /// The hash of the file that holds it.
    pub blob: String,
    /// The format of the file.
    pub format: String,
    /// The object of the file.
    pub object: Option<String>,
    /// The unit of the file.
    pub units: Units,
    /// Number of triangles.
    pub triangles: usize,
    /// `true` if it bounds a solid.
    pub closed: bool,
    /// Its volume, if it does.
    pub volume: Option<f64>,
    /// In kilograms a cubic metre.
    pub density: Option<f64>,
    /// Its mass: as set, or by volume and density.
    pub mass: Option<f64>,
    /// Its centre of gravity, if it bounds a solid.
    pub center: Option<[f64; 3]>,
    /// Inertia about the centre for density 1: xx, yy, zz, xy, xz, yz.
    pub inertia: Option<[f64; 6]>,
}

pub(crate) fn units_by_sign(sign: &str) -> Option<Units> {
    Units::ALL.into_iter().find(|units| units.sign() == sign)
}

/// Formats of stored files, by their usual extensions.
const FORMATS: [&str; 9] = ["obj", "stl", "off", "ply", "gltf", "glb", "dxf", "3mf", "dae"];

/// Refuses formats that are not in the list: the word becomes the end of a file's name.
pub(crate) fn known_format(word: &str) -> Result<&'static str, StoreError> {
    FORMATS.into_iter().find(|known| *known == word).ok_or_else(|| {
        let shown: String = word.chars().take(40).collect();
        StoreError::unfit("a component", format!("format {shown:?} is not known"), "import it again")
    })
}

/// Properties that follow from a surface, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Derived {
    triangles: i64,
    closed: bool,
    volume: Option<f64>,
    center: Option<[f64; 3]>,
    inertia: Option<[f64; 6]>,
}

impl Derived {
    fn of(mesh: &Mesh, units: Units) -> Self {
        let to_metre = units.convert(1.0, Units::Metre);
        let closed = mesh.report().flaw().is_none();
        let mass = closed.then(|| mesh.mass());
        Self {
            triangles: i64::try_from(mesh.triangle_count()).unwrap_or(i64::MAX),
            closed,
            volume: mass.map(|mass| mass.volume * to_metre.powi(3)),
            center: mass.map(|mass| (mass.center * to_metre).to_array()),
            inertia: mass.map(|mass| {
                let i = mass.inertia * to_metre.powi(5);
                [i.x_axis.x, i.y_axis.y, i.z_axis.z, i.y_axis.x, i.z_axis.x, i.z_axis.y]
            }),
        }
    }

    /// The properties that differ, by their names; sums of another version of noli may differ in the last digits.
    fn differences(&self, stored: &ComponentInfo, size: f64) -> Vec<&'static str> {
        const DIGITS: f64 = 1e-9;
        let near = |ours: &[f64], theirs: &[f64], scale: f64| {
            let scale = ours.iter().fold(scale, |most, x| most.max(x.abs()));
            ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() <= DIGITS * scale)
        };
        let same = |ours: Option<&[f64]>, theirs: Option<&[f64]>, scale: f64| match (ours, theirs) {
            (Some(ours), Some(theirs)) => near(ours, theirs, scale),
            (ours, theirs) => ours.is_none() && theirs.is_none(),
        };
        let of_one = |value: &'_ Option<f64>| value.map(|value| [value]);
        let [ours, theirs] = [of_one(&self.volume), of_one(&stored.volume)];
        let equal = [
            ("number of triangles", usize::try_from(self.triangles) == Ok(stored.triangles)),
            ("closedness", self.closed == stored.closed),
            ("volume", same(ours.as_ref().map(|x| &x[..]), theirs.as_ref().map(|x| &x[..]), 0.0)),
            (
                "centre",
                same(self.center.as_ref().map(|x| &x[..]), stored.center.as_ref().map(|x| &x[..]), size),
            ),
            (
                "inertia",
                same(self.inertia.as_ref().map(|x| &x[..]), stored.inertia.as_ref().map(|x| &x[..]), 0.0),
            ),
        ];
        equal.into_iter().filter(|(_, equal)| !equal).map(|(name, _)| name).collect()
    }
}

/// The mesh that stored bytes hold.
pub(crate) fn mesh_of(bytes: &[u8], format: &str, object: Option<&str>) -> Result<Mesh, StoreError> {
    let format = known_format(format)?;
    let kind = MeshFormat::from_extension(format!("x.{format}").as_ref());
    let (Some(object), Some(kind)) = (object, kind) else {
        return Ok(noli_formats::read_link_bytes(bytes, format)?);
    };
    let file = read_bytes(bytes, kind, &ReadOptions::default())?;
    let found = file.objects.into_iter().find(|found| found.name == object);
    found.map(|found| found.mesh).ok_or_else(|| {
        StoreError::unfit("a component", format!("its file has no object `{object}`"), "import it again")
    })
}

/// Inserts or finds a part in a transaction; its id.
pub(crate) fn insert(tx: &Transaction<'_>, new: &NewComponent<'_>, replace: bool) -> rusqlite::Result<i64> {
    let blob = keep(tx, new.bytes)?;
    let Derived { triangles, closed, volume, center, inertia } = Derived::of(new.mesh, new.units);
    let [x, y, z] = center.map_or([None; 3], |center| center.map(Some));
    let [ixx, iyy, izz, ixy, ixz, iyz] = inertia.map_or([None; 6], |inertia| inertia.map(Some));
    let units = new.units.sign();
    let columns: [(&str, &dyn ToSql); 17] = [
        ("blob", &blob),
        ("format", &new.format),
        ("object", &new.object),
        ("units", &units),
        ("triangles", &triangles),
        ("closed", &closed),
        ("volume", &volume),
        ("center_x", &x),
        ("center_y", &y),
        ("center_z", &z),
        ("ixx", &ixx),
        ("iyy", &iyy),
        ("izz", &izz),
        ("ixy", &ixy),
        ("ixz", &ixz),
        ("iyz", &iyz),
        ("source", &new.source),
    ];
    let names = columns.map(|(name, _)| name);
    let values = columns.map(|(_, value)| value);
    if replace {
        let known = tx
            .query_row("SELECT id FROM component WHERE name = ?1", [&new.name], |row| row.get::<_, i64>(0))
            .optional()?;
        if let Some(id) = known {
            let set = names.map(|name| format!("{name} = ?")).join(", ");
            let sql = format!("UPDATE component SET {set}, version = version + 1 WHERE id = ?");
            tx.execute(&sql, [&values[..], &[&id]].concat().as_slice())?;
            tx.execute("DELETE FROM prepared WHERE component = ?1", [id])?;
            return Ok(id);
        }
    }
    let sql = format!(
        "INSERT INTO component (name, density, {}) VALUES (?, ?{})",
        names.join(", "),
        ", ?".repeat(names.len())
    );
    let own: [&dyn ToSql; 2] = [&new.name, &new.density];
    tx.execute(&sql, [&own[..], &values[..]].concat().as_slice())?;
    Ok(tx.last_insert_rowid())
}

impl Store {
    /// Stores a part; with `replace`, in place of the one of that name, whose version goes up.
    pub fn add_component(&mut self, new: &NewComponent<'_>, replace: bool) -> Result<(), StoreError> {
        self.change(|tx| insert(tx, new, replace))
            .map(|_| ())
            .map_err(|error| taken(error, "component", &new.name))
    }

    /// Returns the properties of a part.
    pub fn component(&self, name: &str) -> Result<ComponentInfo, StoreError> {
        let found = self.connection.query_row(
            "SELECT blob, format, object, units, triangles, closed, volume, density, \
             COALESCE(mass, density * volume), center_x, center_y, center_z, ixx, iyy, izz, ixy, ixz, iyz \
             FROM component WHERE name = ?1",
            [name],
            |row| {
                let three: [Option<f64>; 3] = [row.get(9)?, row.get(10)?, row.get(11)?];
                let mut six = [None; 6];
                for (number, column) in six.iter_mut().zip(12usize..) {
                    *number = row.get::<_, Option<f64>>(column)?;
                }
                let all = |numbers: &[Option<f64>]| numbers.iter().all(Option::is_some);
                let units = units_by_sign(&row.get::<_, String>(3)?);
                let triangles = usize::try_from(row.get::<_, i64>(4)?);
                let (Some(units), Ok(triangles)) = (units, triangles) else { return Ok(None) };
                Ok(Some(ComponentInfo {
                    name: name.to_owned(),
                    blob: row.get(0)?,
                    format: row.get(1)?,
                    object: row.get(2)?,
                    units,
                    triangles,
                    closed: row.get(5)?,
                    volume: row.get(6)?,
                    density: row.get(7)?,
                    mass: row.get(8)?,
                    center: all(&three).then(|| three.map(Option::unwrap_or_default)),
                    inertia: all(&six).then(|| six.map(Option::unwrap_or_default)),
                }))
            },
        );
        let found = found.optional().map_err(|error| self.wrong(error))?;
        let known = found.ok_or_else(|| self.no_such("component", name))?;
        known.ok_or_else(|| StoreError::Damaged {
            path: self.path.clone(),
            reason: format!("component `{name}` has no known unit, or no number of triangles"),
        })
    }

    /// Sets density and mass of a part; `None` leaves the mass to volume and density.
    pub fn set_mass(
        &mut self,
        name: &str,
        density: Option<f64>,
        mass: Option<f64>,
    ) -> Result<(), StoreError> {
        let is_right = |value: f64, least: bool| value.is_finite() && (value > 0.0 || least && value == 0.0);
        if !density.is_none_or(|density| is_right(density, false))
            || !mass.is_none_or(|mass| is_right(mass, true))
        {
            let what = format!("component `{name}`");
            let remedy = "give a density above 0 in kg/m3, or a mass of at least 0 in kg";
            return Err(StoreError::unfit(what, "invalid density or mass", remedy));
        }
        let changed = self.change(|tx| {
            tx.execute(
                "UPDATE component SET density = ?2, mass = ?3, version = version + 1 WHERE name = ?1",
                (name, density, mass),
            )
        })?;
        if changed == 0 { Err(self.no_such("component", name)) } else { Ok(()) }
    }

    /// The surface of a part, in the unit of its file.
    pub fn component_mesh(&self, name: &str) -> Result<Mesh, StoreError> {
        let info = self.component(name)?;
        let mesh = mesh_of(&self.blob(&info.blob)?, &info.format, info.object.as_deref())?;
        let kind = if info.closed { MeshKind::Solid } else { MeshKind::Surface };
        Ok(mesh.with_kind(kind))
    }

    /// The stored properties of a part that do not follow from its surface, by their names.
    pub(crate) fn wrong_properties(&self, name: &str) -> Result<Vec<&'static str>, StoreError> {
        let (info, mesh) = (self.component(name)?, self.component_mesh(name)?);
        let size =
            info.units.convert(mesh.aabb().max.abs().max(mesh.aabb().min.abs()).max_element(), Units::Metre);
        Ok(Derived::of(&mesh, info.units).differences(&info, size))
    }

    /// The model of a part, prepared once and kept: a second time only its tree is read. What is kept belongs to
    /// the very bytes of the part and is made anew where they have changed.
    pub fn component_model(&mut self, name: &str) -> Result<Model, StoreError> {
        let (info, mesh) = (self.component(name)?, self.component_mesh(name)?);
        let kept: Option<Vec<u8>> = self
            .connection
            .query_row(
                "SELECT p.tree FROM prepared p JOIN component c ON c.id = p.component \
                 WHERE c.name = ?1 AND p.blob = c.blob",
                [name],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| self.wrong(error))?;
        if let Some(tree) = kept {
            // One that another version of noli made is made anew.
            if let Ok(model) = Model::with_stored_tree(&mesh, &tree) {
                return Ok(model);
            }
        }
        let model = Model::new(&mesh)
            .map_err(|error| StoreError::unfit(format!("component `{name}`"), error, "import another"))?;
        let tree = model.store_tree();
        self.change(|tx| {
            tx.execute(
                "INSERT INTO prepared (component, blob, tree) SELECT id, ?2, ?3 FROM component WHERE name = ?1 \
                 ON CONFLICT (component) DO UPDATE SET blob = ?2, tree = ?3",
                (name, &info.blob, &tree),
            )
        })?;
        Ok(model)
    }
}

/// A constraint that was hurt by a name that exists.
pub(crate) fn taken(error: StoreError, what: &'static str, name: &str) -> StoreError {
    match &error {
        StoreError::Sqlite { error: inner, .. } if inner.to_string().contains("UNIQUE") => {
            StoreError::Taken {
                what,
                name: name.to_owned(),
                remedy: "give it another name with --name, or replace it with --replace",
            }
        }
        _ => error,
    }
}
