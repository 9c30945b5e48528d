//! List of the entries.

use crate::{Store, StoreError};
use rusqlite::OptionalExtension;

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

impl Store {
    /// Returns the entries, of one kind or of all, in order of name.
    pub fn list(&self, kind: Option<&str>) -> Result<Vec<Entry>, StoreError> {
        let at = |error| self.wrong(error);
        let mut all = Vec::new();
        let mut known = false;
        for (word, query) in KINDS {
            if kind.is_some_and(|kind| kind != word && !(word == "cell" && kind == "scene")) {
                continue;
            }
            known = true;
            let mut rows = self.connection.prepare(&format!("{query} ORDER BY 2")).map_err(at)?;
            let entries = rows
                .query_map([], |row| Ok(Entry { kind: row.get(0)?, name: row.get(1)?, about: row.get(2)? }));
            for entry in entries.map_err(at)? {
                let entry = entry.map_err(at)?;
                if kind.is_none_or(|kind| kind == entry.kind) {
                    all.push(entry);
                }
            }
        }
        if !known {
            let name = kind.unwrap_or_default().to_owned();
            let hint = "; there are component, manipulator, cell, scene, program, tool and run".to_owned();
            return Err(StoreError::NoSuch { what: "kind", name, hint });
        }
        Ok(all)
    }

    /// Returns the entry of a name, of any kind; runs by their numbers.
    pub fn find(&self, name: &str) -> Result<Entry, StoreError> {
        let at = |error| self.wrong(error);
        for (_, query) in KINDS {
            let found = self
                .connection
                .query_row(&format!("SELECT * FROM ({query}) WHERE name = ?1"), [name], |row| {
                    Ok(Entry { kind: row.get(0)?, name: row.get(1)?, about: row.get(2)? })
                })
                .optional();
            // A run has a number in place of a name.
            let found = match found {
                Err(_) if query.contains("FROM runs") => None,
                other => other.map_err(at)?,
            };
            if let Some(entry) = found {
                return Ok(entry);
            }
        }
        Err(self.no_such("entry", name))
    }

    pub(crate) fn no_such(&self, what: &'static str, name: &str) -> StoreError {
        let query = "SELECT name FROM (SELECT name FROM component UNION ALL SELECT name FROM manipulator \
             UNION ALL SELECT name FROM cell UNION ALL SELECT name FROM program UNION ALL SELECT name FROM tool) \
             ORDER BY (name LIKE '%' || ?1 || '%') DESC, name LIMIT 6";
        let names = self.connection.prepare(query).and_then(|mut rows| {
            rows.query_map([name], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()
        });
        let names = names.unwrap_or_default();
        let hint = if names.is_empty() { String::new() } else { format!("; there are {}", names.join(", ")) };
        StoreError::NoSuch { what, name: name.to_owned(), hint }
    }

    /// Returns the properties of an entry.
    pub fn show(&self, name: &str) -> Result<Shown, StoreError> {
        let entry = self.find(name)?;
        let mut values: Vec<(String, String)> = Vec::new();
        let mut put = |key: &str, value: String| values.push((key.to_owned(), value));
        match entry.kind.as_str() {
            "component" => {
                let info = self.component(name)?;
                put("file", format!("{} ({})", info.blob, info.format));
                if let Some(object) = &info.object {
                    put("object", object.clone());
                }
                put("units", info.units.sign().to_owned());
                put("triangles", info.triangles.to_string());
                put("solid", info.closed.to_string());
                for (key, value) in [
                    ("volume (m3)", info.volume),
                    ("density (kg/m3)", info.density),
                    ("mass (kg)", info.mass),
                ] {
                    if let Some(value) = value {
                        put(key, value.to_string());
                    }
                }
                if let Some(center) = info.center {
                    put("centre of gravity (m)", center.map(|x| x.to_string()).join(" "));
                }
                if let (Some(inertia), Some(mass), Some(volume)) = (info.inertia, info.mass, info.volume) {
                    let density = mass / volume;
                    put("inertia (kg m2)", inertia.map(|x| (x * density).to_string()).join(" "));
                }
            }
            "manipulator" => {
                let robot = self.robot(name)?;
                for (number, link) in robot.parts.links.iter().enumerate() {
                    let shapes = link.collision.iter().chain(&link.visual).count();
                    put(
                        &format!("part {number}"),
                        format!("{}, {shapes} shape{}", link.name, if shapes == 1 { "" } else { "s" }),
                    );
                }
                for (number, joint) in (1..).zip(&robot.parts.joints) {
                    let range =
                        joint.limits.range.map_or(String::new(), |[a, b]| format!(", from {a} to {b}"));
                    let text = format!(
                        "{} ({}): {} - {}{range}",
                        joint.name,
                        joint.kind.word(),
                        joint.parent,
                        joint.child
                    );
                    put(&format!("joint {number}"), text);
                }
                let query = "SELECT a || ' - ' || b || CASE p.enabled WHEN 1 THEN ': checked' ELSE ': disabled' END \
                     || COALESCE(', margin ' || p.margin || ' m', '') || CASE reason WHEN '' THEN '' ELSE ', ' || reason \
                     END FROM pairs p JOIN manipulator m ON m.id = p.manipulator WHERE m.name = ?1 ORDER BY a, b";
                self.column(query, name)?.into_iter().for_each(|pair| put("pair", pair));
                for mesh in &robot.meshes {
                    put("mesh", format!("{} is component {}", mesh.file, mesh.component));
                }
            }
            "cell" | "scene" => {
                let query = "SELECT f.path || ' (' || f.blob || ')' FROM cell_file f JOIN cell c ON c.id = f.cell \
                     WHERE c.name = ?1 ORDER BY f.path";
                self.column(query, name)?.into_iter().for_each(|file| put("file", file));
                let query = "SELECT l.name || ' (' || l.kind || ')' FROM location l JOIN cell c ON c.id = l.cell \
                     WHERE c.name = ?1 ORDER BY l.name";
                self.column(query, name)?.into_iter().for_each(|location| put("location", location));
                let query = "SELECT s.number || ': ' || s.drive FROM signal s JOIN cell c ON c.id = s.cell \
                     WHERE c.name = ?1 ORDER BY s.number";
                self.column(query, name)?.into_iter().for_each(|signal| put("signal", signal));
            }
            "tool" => {
                let tool = self.tool(name)?;
                if let Some(component) = tool.component {
                    put("component", component);
                }
                let (xyz, turn) = (tool.flange_from_tool.translation, tool.flange_from_tool.rotation);
                put("position on the flange (m)", xyz.to_array().map(|x| x.to_string()).join(" "));
                put("rotation (x y z w)", turn.to_array().map(|x| x.to_string()).join(" "));
            }
            "program" => put("text", self.program(name)?),
            "run" => {
                let query =
                    "SELECT line || ': ' || a || ' - ' || b FROM collision_log WHERE run = ?1 ORDER BY seq";
                self.column(query, name)?.into_iter().for_each(|line| put("contact in line", line));
            }
            _ => {}
        }
        Ok(Shown { kind: entry.kind, name: entry.name, values })
    }

    pub(crate) fn column(&self, query: &str, name: &str) -> Result<Vec<String>, StoreError> {
        let at = |error| self.wrong(error);
        let mut rows = self.connection.prepare(query).map_err(at)?;
        let found = rows.query_map([name], |row| row.get::<_, String>(0)).map_err(at)?;
        found.collect::<rusqlite::Result<Vec<_>>>().map_err(at)
    }
}
