//! Databases of unknown origin: SQLite trusts nothing in them, and their schema must equal ours.

use crate::schema::MIGRATIONS;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Tables whose rows are watched for undo: all but contents and prepared trees.
pub(crate) const WATCHED: [&str; 16] = [
    "component",
    "manipulator",
    "part",
    "part_shape",
    "joint",
    "program",
    "cell",
    "cell_file",
    "location",
    "signal",
    "run",
    "collision_log",
    "tool",
    "pair_default",
    "pair_edit",
    "preference",
];

/// Turns off what a hostile file could use (sqlite.org/security.html): triggers and functions in its schema, writes to
/// the schema itself, and other files. Our own triggers are temporary, which this leaves on.
pub(crate) fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// An entry of a schema: its kind, its name, its table and its text.
type Entry = (String, String, String, Option<String>);

fn entries(connection: &Connection) -> rusqlite::Result<BTreeSet<Entry>> {
    let mut rows = connection.prepare("SELECT type, name, tbl_name, sql FROM main.sqlite_schema")?;
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    rows.collect()
}

/// Returns the schema that the migrations give at a version.
fn expected(version: usize) -> rusqlite::Result<&'static BTreeSet<Entry>> {
    static EXPECTED: [OnceLock<BTreeSet<Entry>>; MIGRATIONS.len() + 1] =
        [const { OnceLock::new() }; MIGRATIONS.len() + 1];
    let cell = EXPECTED.get(version).ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let made = Connection::open_in_memory()?;
    for migration in MIGRATIONS.iter().take(version) {
        made.execute_batch(migration)?;
    }
    let made = entries(&made)?;
    Ok(cell.get_or_init(|| made))
}

/// Statistics that `ANALYZE` of other tools leaves: they change no answer.
fn is_statistics((kind, name, _, sql): &Entry) -> bool {
    let known =
        ["CREATE TABLE sqlite_stat1(tbl,idx,stat)", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"];
    kind == "table"
        && ["sqlite_stat1", "sqlite_stat4"].contains(&name.as_str())
        && sql.as_deref().is_some_and(|sql| known.contains(&sql))
}

/// Returns the first table, index, view or trigger of a file that is not exactly that of its version, as text.
pub(crate) fn foreign_entry(connection: &Connection, version: usize) -> rusqlite::Result<Option<String>> {
    let (expected, found) = (expected(version)?, entries(connection)?);
    let foreign = found.difference(expected).find(|entry| !is_statistics(entry));
    let missing = expected.difference(&found).max_by_key(|entry| entry.0 == "table");
    Ok(match (foreign, missing) {
        (None, None) => None,
        (Some((kind, name, ..)), _) if !expected.iter().any(|known| known.1 == *name) => {
            Some(format!("its {kind} {:?} is not one of noli", shortened(name)))
        }
        (Some((kind, name, ..)), _) => Some(format!("its {kind} {:?} was changed", shortened(name))),
        (None, Some((kind, name, ..))) => Some(format!("its {kind} {:?} is missing", shortened(name))),
    })
}

fn shortened(name: &str) -> String {
    const MOST: usize = 60;
    let mut text: String = name.chars().take(MOST).collect();
    if name.chars().nth(MOST).is_some() {
        text.push_str("...");
    }
    text
}
