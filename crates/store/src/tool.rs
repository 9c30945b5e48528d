//! Tools: the frame of the tool on a flange, with the part that is mounted there.

use crate::store::pose_from;
use crate::{Store, StoreError};
use noli_geom::Pose;
use rusqlite::{OptionalExtension, params};

/// A tool of the database.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTool {
    /// Its name.
    pub name: String,
    /// Name of the mounted component; `None` for a frame alone.
    pub component: Option<String>,
    /// Pose of the tool on the flange, in metres.
    pub flange_from_tool: Pose,
}

impl Store {
    /// Stores a tool; with `replace`, in place of the one of that name.
    pub fn add_tool(&mut self, tool: &StoredTool, replace: bool) -> Result<(), StoreError> {
        let name = tool.name.trim();
        if name.is_empty() || !tool.flange_from_tool.is_valid() {
            let reason = if name.is_empty() { "the name is empty" } else { "invalid pose" };
            return Err(StoreError::unfit("a tool", reason, "give a name, and finite numbers"));
        }
        let component = tool.component.as_deref().map(|part| self.component_id(part)).transpose()?;
        let [x, y, z, qx, qy, qz, qw] = tool.flange_from_tool.to_array();
        let columns =
            "(name, component, x, y, z, qx, qy, qz, qw) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let or_update = "ON CONFLICT (name) DO UPDATE SET component = ?2, x = ?3, y = ?4, z = ?5, qx = ?6, \
             qy = ?7, qz = ?8, qw = ?9";
        let sql = format!("INSERT INTO tool {columns} {}", if replace { or_update } else { "" });
        let stored = self.change(|tx| tx.execute(&sql, params![name, component, x, y, z, qx, qy, qz, qw]));
        stored.map(|_| ()).map_err(|error| crate::component::taken(error, "tool", name))
    }

    /// Returns a tool by its name.
    pub fn tool(&self, name: &str) -> Result<StoredTool, StoreError> {
        let found = self.connection.query_row(
            "SELECT t.name, c.name, t.x, t.y, t.z, t.qx, t.qy, t.qz, t.qw FROM tool t \
             LEFT JOIN component c ON c.id = t.component WHERE t.name = ?1",
            [name],
            |row| {
                Ok(StoredTool {
                    name: row.get(0)?,
                    component: row.get(1)?,
                    flange_from_tool: pose_from(row, 2)?,
                })
            },
        );
        let found = found.optional().map_err(|error| self.wrong(error))?;
        found.ok_or_else(|| self.no_such("tool", name))
    }
}
