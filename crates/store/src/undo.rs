//! Changes that can be undone, recorded by their effect on the rows of the tables.
//!
//! While a store is watched, triggers record for every row the statements that redo and undo its change (as in
//! "Automatic Undo/Redo Using SQLite", sqlite.org). Contents stay when the rows that refer to them are undone.
//! They are stored by their hash, cost only space, and are available for a redo. Prepared trees are not
//! recorded either: they are rebuilt on demand.

use crate::guard::WATCHED;
use crate::{Store, StoreError};

/// A change, row by row, with its inverse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    make: Vec<String>,
    take_back: Vec<String>,
}

impl Change {
    /// Returns the inverse change.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { make: self.take_back, take_back: self.make }
    }

    /// Returns `true` if nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.make.is_empty()
    }
}

/// A watched table: its name, its columns, and its key columns, these as SQL names.
struct Table {
    name: &'static str,
    columns: Vec<String>,
    key: Vec<String>,
}

/// A name as SQL has it. None of ours has a quote in it, which would end the texts that the names stand in.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace(['"', '\''], ""))
}

impl Table {
    /// SQL that gives a statement about the row `NEW` or `OLD`.
    fn insert(&self, row: &str) -> String {
        let values = self.columns.iter().map(|column| format!("quote({row}.{column})")).collect::<Vec<_>>();
        let columns = self.columns.join(", ");
        format!("'INSERT INTO {} ({columns}) VALUES (' || {} || ')'", self.name, values.join(" || ', ' || "))
    }

    fn delete(&self, row: &str) -> String {
        format!("'DELETE FROM {} WHERE ' || {}", self.name, self.is(row))
    }

    fn update(&self, from: &str, to: &str) -> String {
        let set = |column: &String| format!("'{column} = ' || quote({to}.{column})");
        let set: Vec<String> = self.columns.iter().map(set).collect();
        format!(
            "'UPDATE {} SET ' || {} || ' WHERE ' || {}",
            self.name,
            set.join(" || ', ' || "),
            self.is(from)
        )
    }

    fn is(&self, row: &str) -> String {
        let equal = |column: &String| format!("'{column} = ' || quote({row}.{column})");
        self.key.iter().map(equal).collect::<Vec<_>>().join(" || ' AND ' || ")
    }

    fn triggers(&self) -> String {
        let about = [
            ("INSERT", self.insert("NEW"), self.delete("NEW")),
            ("DELETE", self.delete("OLD"), self.insert("OLD")),
            ("UPDATE", self.update("OLD", "NEW"), self.update("NEW", "OLD")),
        ];
        let trigger = |(event, make, take_back): &(&str, String, String)| {
            format!(
                "CREATE TEMP TRIGGER watched_{name}_{event} AFTER {event} ON main.{name} BEGIN \
                 INSERT INTO watched (make, take_back) VALUES ({make}, {take_back}); END;",
                name = self.name
            )
        };
        about.iter().map(trigger).collect()
    }
}

impl Store {
    /// Runs a change and returns the changed rows.
    pub fn watched<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<(T, Change), StoreError> {
        let tables = self.tables().map_err(|error| self.wrong(error))?;
        let triggers: String = tables.iter().map(Table::triggers).collect();
        // Rows that give way to others of their key are seen only with this.
        let begin = format!(
            "PRAGMA recursive_triggers = ON; \
             CREATE TEMP TABLE watched (number INTEGER PRIMARY KEY, make TEXT NOT NULL, take_back TEXT NOT NULL); \
             {triggers}"
        );
        self.connection.execute_batch(&begin).map_err(|error| self.wrong(error))?;
        let done = work(self);
        let change = self.change_watched();
        let drop_trigger = |table: &Table| {
            ["INSERT", "DELETE", "UPDATE"]
                .map(|event| format!("DROP TRIGGER IF EXISTS temp.watched_{}_{event};", table.name))
                .concat()
        };
        let end: String = tables.iter().map(drop_trigger).collect();
        let ended = self
            .connection
            .execute_batch(&format!("{end}DROP TABLE temp.watched; PRAGMA recursive_triggers = OFF;"));
        ended.map_err(|error| self.wrong(error))?;
        Ok((done?, change.map_err(|error| self.wrong(error))?))
    }

    fn change_watched(&self) -> rusqlite::Result<Change> {
        let mut rows = self.connection.prepare("SELECT make, take_back FROM temp.watched ORDER BY number")?;
        let mut change = Change::default();
        for row in rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))? {
            let (make, take_back) = row?;
            change.make.push(make);
            change.take_back.push(take_back);
        }
        change.take_back.reverse();
        Ok(change)
    }

    /// The tables of the schema, which is ours to the letter since the file was opened.
    fn tables(&self) -> rusqlite::Result<Vec<Table>> {
        let table = |name: &'static str| -> rusqlite::Result<Table> {
            let mut columns = self.connection.prepare("SELECT name, pk FROM pragma_table_info(?1)")?;
            let columns: Vec<(String, i64)> = columns
                .query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let key = columns.iter().filter(|(_, pk)| *pk > 0).map(|(column, _)| quoted(column)).collect();
            Ok(Table { name, key, columns: columns.iter().map(|(column, _)| quoted(column)).collect() })
        };
        WATCHED.into_iter().map(table).collect()
    }

    /// Makes a change that was watched once more, or its inverse: all of it or nothing. Refused where the rows it is
    /// about are not there any more, or where something else needs what it would take away.
    pub fn apply(&mut self, change: &Change) -> Result<(), StoreError> {
        let done = self.change(|tx| {
            // Rows come in an order in which some name others that follow.
            tx.pragma_update(None, "defer_foreign_keys", true)?;
            for statement in &change.make {
                // What hangs on a row that was taken away has gone with it.
                if tx.execute(statement, [])? == 0 && !statement.starts_with("DELETE") {
                    return Err(rusqlite::Error::StatementChangedRows(0));
                }
            }
            Ok(())
        });
        done.map_err(|error| match error {
            StoreError::Sqlite { error: rusqlite::Error::StatementChangedRows(_), .. } => {
                self.changed_since()
            }
            StoreError::Sqlite { error, .. }
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) =>
            {
                self.changed_since()
            }
            other => other,
        })
    }

    fn changed_since(&self) -> StoreError {
        StoreError::unfit(
            self.path.display().to_string(),
            "what this is about was changed or is used by now",
            "nothing was changed; look at it with `noli db show`",
        )
    }
}
