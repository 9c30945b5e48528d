//! List of the entries.

use crate::{ComponentInfo, Store, StoreError};
use noli_robot::Parts;
use rusqlite::{OptionalExtension, Row};

/// Something stored.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Entry {
    /// `component`, `manipulator`, `cell`, `scene`, `program`, `tool` or `run`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// More of it, in a few words.
    pub about: String,
}

/// Something stored, in detail: names and values in order.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Shown {
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its stored properties.
    pub values: Vec<(String, String)>,
}

const KINDS: [(&str, &str); 6] = [
    (
        "component",
        "SELECT 'component', name, triangles || ' triangles, ' || CASE closed WHEN 1 THEN 'solid' ELSE 'surface' END \
         || ', ' || units FROM component",
    ),
    (
        "manipulator",
        "SELECT 'manipulator', name, parts || CASE parts WHEN 1 THEN ' part, ' ELSE ' parts, ' END || moving_joints \
         || CASE moving_joints WHEN 1 THEN ' moving joint' ELSE ' moving joints' END FROM manipulators",
    ),
    ("cell", "SELECT kind, name, length(text) || ' bytes' FROM cell"),
    ("program", "SELECT 'program', name, length(text) || ' bytes' FROM program"),
    (
        "tool",
        "SELECT 'tool', t.name AS name, COALESCE(c.name, 'a frame') FROM tool t LEFT JOIN component c \
         ON c.id = t.component",
    ),
    ("run", "SELECT 'run', CAST(id AS TEXT), cell || ', ' || program || ': ' || outcome FROM runs"),
];

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry { kind: row.get(0)?, name: row.get(1)?, about: row.get(2)? })
}

const PAIRS: &str = "SELECT a || ' - ' || b || CASE p.enabled WHEN 1 THEN ': checked' ELSE ': disabled' END \
     || COALESCE(', margin ' || p.margin || ' m', '') || CASE reason WHEN '' THEN '' ELSE ', ' || reason \
     END FROM pairs p JOIN manipulator m ON m.id = p.manipulator WHERE m.name = ?1 ORDER BY a, b";

const OF_CELL: [(&str, &str); 3] = [
    (
        "file",
        "SELECT f.path || ' (' || f.blob || ')' FROM cell_file f JOIN cell c ON c.id = f.cell \
         WHERE c.name = ?1 ORDER BY f.path",
    ),
    (
        "location",
        "SELECT l.name || ' (' || l.kind || ')' FROM location l JOIN cell c ON c.id = l.cell \
         WHERE c.name = ?1 ORDER BY l.name",
    ),
    (
        "signal",
        "SELECT s.number || ': ' || s.drive FROM signal s JOIN cell c ON c.id = s.cell \
         WHERE c.name = ?1 ORDER BY s.number",
    ),
];

const CONTACTS: &str =
    "SELECT line || ': ' || a || ' - ' || b FROM collision_log WHERE run = ?1 ORDER BY seq";

/// Names and values in the order in which they are shown.
#[derive(Default)]
struct Properties(Vec<(String, String)>);

impl Properties {
    fn put(&mut self, key: &str, value: impl ToString) {
        self.0.push((key.to_owned(), value.to_string()));
    }

    fn maybe(&mut self, key: &str, value: Option<impl ToString>) {
        value.iter().for_each(|value| self.put(key, value.to_string()));
    }

    fn column(&mut self, key: &str, values: Vec<String>) {
        values.iter().for_each(|value| self.put(key, value));
    }

    fn component(&mut self, info: &ComponentInfo) {
        self.put("file", format!("{} ({})", info.blob, info.format));
        self.maybe("object", info.object.as_ref());
        self.put("units", info.units.sign());
        self.put("triangles", info.triangles);
        self.put("solid", info.closed);
        self.maybe("volume (m3)", info.volume);
        self.maybe("density (kg/m3)", info.density);
        self.maybe("mass (kg)", info.mass);
        self.maybe("centre of gravity (m)", info.center.map(|center| spaced(&center)));
        let density = info.mass.zip(info.volume).map(|(mass, volume)| mass / volume);
        let inertia = info.inertia.zip(density);
        self.maybe("inertia (kg m2)", inertia.map(|(one, density)| spaced(&one.map(|x| x * density))));
    }

    fn robot(&mut self, parts: &Parts) {
        for (number, link) in parts.links.iter().enumerate() {
            let shapes = link.collision.len().saturating_add(link.visual.len());
            let plural = if shapes == 1 { "" } else { "s" };
            self.put(&format!("part {number}"), format!("{}, {shapes} shape{plural}", link.name));
        }
        for (number, joint) in (1..).zip(&parts.joints) {
            let range = joint.limits.range.map_or(String::new(), |[a, b]| format!(", from {a} to {b}"));
            let (kind, ends) = (joint.kind.word(), [&*joint.parent, &*joint.child].join(" - "));
            self.put(&format!("joint {number}"), format!("{} ({kind}): {ends}{range}", joint.name));
        }
    }
}

fn spaced(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

impl Store {
    /// Returns the entries, of one kind or of all, in order of name.
    pub fn list(&self, kind: Option<&str>) -> Result<Vec<Entry>, StoreError> {
        let mut all = Vec::new();
        let mut known = false;
        for (word, query) in KINDS {
            if kind.is_some_and(|kind| kind != word && !(word == "cell" && kind == "scene")) {
                continue;
            }
            known = true;
            all.extend(self.rows(&format!("{query} ORDER BY 2"), [], entry)?);
        }
        if !known {
            let name = kind.unwrap_or_default().to_owned();
            let hint = "; there are component, manipulator, cell, scene, program, tool and run".to_owned();
            return Err(StoreError::NoSuch { what: "kind", name, hint });
        }
        all.retain(|entry| kind.is_none_or(|kind| kind == entry.kind));
        Ok(all)
    }

    /// Returns the entry of a name, of any kind; runs by their numbers.
    pub fn find(&self, name: &str) -> Result<Entry, StoreError> {
        let at = |error| self.wrong(error);
        for (_, query) in KINDS {
            let found = self
                .connection
                .query_row(&format!("SELECT * FROM ({query}) WHERE name = ?1"), [name], entry)
                .optional();
            // A run has a number in place of a name.
            let found = match found {
                Err(_) if query.contains("FROM runs") => None,
                other => other.map_err(at)?,
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Err(self.no_such("entry", name))
    }

    pub(crate) fn no_such(&self, what: &'static str, name: &str) -> StoreError {
        let query = "SELECT name FROM (SELECT name FROM component UNION ALL SELECT name FROM manipulator \
             UNION ALL SELECT name FROM cell UNION ALL SELECT name FROM program UNION ALL SELECT name FROM tool) \
             ORDER BY (name LIKE '%' || ?1 || '%') DESC, name LIMIT 6";
        let names = self.column(query, name).unwrap_or_default();
        let hint = if names.is_empty() { String::new() } else { format!("; there are {}", names.join(", ")) };
        StoreError::NoSuch { what, name: name.to_owned(), hint }
    }

    /// Returns the properties of an entry.
    pub fn show(&self, name: &str) -> Result<Shown, StoreError> {
        let entry = self.find(name)?;
        let mut values = Properties::default();
        match entry.kind.as_str() {
            "component" => values.component(&self.component(name)?),
            "manipulator" => {
                let robot = self.robot(name)?;
                values.robot(&robot.parts);
                values.column("pair", self.column(PAIRS, name)?);
                for mesh in &robot.meshes {
                    values.put("mesh", format!("{} is component {}", mesh.file, mesh.component));
                }
            }
            "cell" | "scene" => {
                for (key, query) in OF_CELL {
                    values.column(key, self.column(query, name)?);
                }
            }
            "tool" => {
                let tool = self.tool(name)?;
                values.maybe("component", tool.component);
                let (xyz, turn) = (tool.flange_from_tool.translation, tool.flange_from_tool.rotation);
                values.put("position on the flange (m)", spaced(&xyz.to_array()));
                values.put("rotation (x y z w)", spaced(&turn.to_array()));
            }
            "program" => values.put("text", self.program(name)?),
            "run" => values.column("contact in line", self.column(CONTACTS, name)?),
            _ => {}
        }
        Ok(Shown { kind: entry.kind, name: entry.name, values: values.0 })
    }

    /// Returns a column of text for a name.
    pub(crate) fn column(&self, query: &str, name: &str) -> Result<Vec<String>, StoreError> {
        self.rows(query, [name], |row| row.get(0))
    }
}
