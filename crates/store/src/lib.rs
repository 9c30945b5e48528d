//! The component database: parts, robots, cells, programs and runs in one SQLite file.
//!
//! A [`Store`] is an open file. Every change is one transaction, so a writer that is killed loses nothing that
//! was committed and leaves nothing half done; readers see the last committed state and never wait. Files are
//! kept by the hash of their bytes, each once. The tables grow from version to version; an older file is
//! brought up to date when it is opened for writing, a newer one is refused.
//!
//! ```
//! use noli_store::Store;
//! let folder = std::env::temp_dir().join(format!("noli-store-doc-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let file = folder.join("parts.db");
//! let mut store = Store::init(&file)?;
//! store.add_program("home", "READY")?;
//! assert_eq!(store.list(Some("program"))?[0].name, "home");
//! assert!(store.check()?.is_empty());
//! std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Numbers of files are not to be cut, to wrap or to be looked up unchecked.
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod arm;
mod check;
mod component;
mod compose;
mod error;
mod export;
mod guard;
mod import;
mod list;
mod manipulator;
mod runs;
mod schema;
mod store;
mod tool;
mod undo;

pub use arm::{load_cell, load_cell_text};
pub use component::{ComponentInfo, NewComponent};
pub use compose::compose_text;
pub use error::StoreError;
pub use export::Exported;
pub use import::{ImportOptions, Imported};
pub use list::{Entry, Shown};
pub use manipulator::StoredRobot;
pub use runs::{LoggedContact, LoggedRun};
pub use store::{Store, content_hash};
pub use tool::StoredTool;
pub use undo::Change;

/// The newest version of the tables.
pub const SCHEMA_VERSION: i64 = schema::LATEST;
