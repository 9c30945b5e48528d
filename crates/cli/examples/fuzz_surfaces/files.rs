//! Files that programs write and read: databases, shards and kept conversions.

use crate::damage::damaged;
use noli_campaign::{Campaign, Shard, merge};
use noli_formats::{PrivateFolder, ReadOptions, read_objects};
use noli_store::{ImportOptions, Store};
use noli_testing::Random;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const CUBE: &str = "o cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 3 4 8\nf 3 8 7\nf 2 3 7\nf 2 7 6\nf 4 1 5\nf 4 5 8\n";

const ARM: &str = "<robot name=\"arm\"><link name=\"a\"/><link name=\"b\"><collision><geometry><mesh filename=\"cube.obj\"/>\
    </geometry></collision></link><joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>\
    <axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"1\"/></joint></robot>";

fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    std::fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// A database with one entry of every kind that files give.
pub struct Database {
    folder: PrivateFolder,
    whole: Vec<u8>,
}

/// Values that somebody might put into columns.
const VALUES: [&str; 14] = [
    "NULL",
    "-1",
    "0",
    "1e308",
    "'../../../escaped'",
    "'.bashrc'",
    "'obj/../../x'",
    "x'00ff'",
    "'\"; DROP TABLE component; --'",
    "9223372036854775807",
    "''",
    "'mm'",
    "randomblob(40)",
    "hex(zeroblob(2000))",
];

/// Columns that are read.
const COLUMNS: [&str; 22] = [
    "component.format",
    "component.object",
    "component.units",
    "component.triangles",
    "component.volume",
    "component.mass",
    "component.ixx",
    "component.name",
    "component.blob",
    "cell.text",
    "cell.kind",
    "cell.name",
    "cell_file.path",
    "cell_file.blob",
    "part.name",
    "part_shape.file",
    "part_shape.a",
    "part_shape.qx",
    "joint.name",
    "joint.axis_x",
    "joint.follows",
    "program.text",
];

impl Database {
    pub fn new() -> Self {
        let folder = PrivateFolder::new().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        write(&at("cube.obj"), CUBE);
        write(&at("arm.urdf"), ARM);
        write(&at("scene.toml"), "[[body]]\nname = \"a\"\nfile = \"cube.obj\"\n");
        write(&at("home.val"), "READY\n");
        let mut store = Store::init(at("seed.db")).expect("a database");
        for name in ["cube.obj", "arm.urdf", "scene.toml", "home.val"] {
            store.import(at(name), &ImportOptions::default()).expect("an import");
        }
        drop(store);
        let connection = rusqlite::Connection::open(at("seed.db")).expect("a connection");
        connection.pragma_update(None, "journal_mode", "delete").expect("one file");
        drop(connection);
        let whole = std::fs::read(at("seed.db")).expect("its bytes");
        std::fs::create_dir(at("inside")).expect("a folder");
        Self { folder, whole }
    }

    /// Damage to pages, or to the values of rows, which gets further.
    pub fn input(&mut self, random: &mut Random) -> Vec<u8> {
        if random.one_in(2) {
            return damaged(random, &self.whole, &[b"sqlite_", b"CREATE ", &[0; 16], &[0xff; 8]]);
        }
        let path = self.folder.path().join("made.db");
        write(&path, &self.whole);
        let connection = rusqlite::Connection::open(&path).expect("a connection");
        let _ = connection.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;");
        for _ in 0..=random.index(3) {
            let (column, value) = (COLUMNS[random.index(COLUMNS.len())], VALUES[random.index(VALUES.len())]);
            let (table, column) = column.split_once('.').unwrap_or_default();
            let _ = connection.execute_batch(&format!("UPDATE {table} SET {column} = {value};"));
        }
        drop(connection);
        std::fs::read(&path).expect("its bytes")
    }

    pub fn execute(&mut self, input: &[u8]) -> Result<bool, String> {
        let file = self.folder.path().join("inside/damaged.db");
        write(&file, input);
        let read = Store::open_to_read(&file).and_then(|store| {
            let out = self.folder.path().join("inside/out");
            for entry in store.list(None).unwrap_or_default() {
                let _ = store.show(&entry.name);
                for end in ["obj", "urdf", "toml", "glb", "val"] {
                    let _ = store.export(&entry.name, out.join(format!("x.{end}")), true);
                }
            }
            store.check()
        });
        let wrote = Store::open(&file).and_then(|mut store| {
            let part = self.folder.path().join("cube.obj");
            let options = ImportOptions { name: Some("new".to_owned()), ..ImportOptions::default() };
            let ((), change) = store.watched(|store| store.import(&part, &options).map(drop))?;
            store.component_model("new")?;
            store.apply(&change.inverse())
        });
        let is_refused = wrote.is_err() || !read.is_ok_and(|found| found.is_empty());
        for entry in
            std::fs::read_dir(self.folder.path().join("inside")).map_err(|error| error.to_string())?.flatten()
        {
            let path = entry.path();
            let removed =
                if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            removed.map_err(|error| error.to_string())?;
        }
        let known = ["arm.urdf", "cube.obj", "home.val", "inside", "made.db", "scene.toml", "seed.db"];
        let beside = std::fs::read_dir(self.folder.path()).map_err(|error| error.to_string())?.flatten();
        match beside.map(|entry| entry.file_name()).find(|name| !known.iter().any(|known| name == known)) {
            Some(name) => Err(format!("{} was written outside the folder", name.display())),
            None => Ok(is_refused),
        }
    }
}

/// A shard of a small campaign.
pub struct ShardFile {
    shard: Shard,
    pub bytes: Vec<u8>,
}

impl ShardFile {
    pub fn new() -> Self {
        let plan = "count = 30\nchunk = 10\nscene = \"\"\"\n[[body]]\nname = \"a\"\nbox = [2, 2, 2]\n[[body]]\nname = \"b\"\n\
            box = [2, 2, 2]\n\"\"\"\n[draw]\nkind = \"poses\"\nbody = \"b\"\nlow = [-2, -2, -2]\nhigh = [2, 2, 2]\n";
        let campaign = Campaign::from_text(plan, Path::new("plan.toml")).expect("a plan");
        let shard = Shard { rows: Vec::new(), ..campaign.run(1).expect("a shard") };
        Self { bytes: shard.to_parquet(), shard }
    }

    /// Whatever was changed, the shard is refused: its checksum is that of what it was.
    pub fn execute(&mut self, input: &[u8]) -> Result<bool, String> {
        match Shard::from_parquet(input) {
            Err(_) => Ok(true),
            Ok(shard) => {
                merge(std::slice::from_ref(&shard)).map_err(|error| error.to_string())?;
                if shard == self.shard { Ok(false) } else { Err("a changed shard was believed".to_owned()) }
            }
        }
    }
}

/// A kept conversion of a STEP file.
pub struct Conversion {
    source: PathBuf,
    kept: PathBuf,
    pub bytes: Vec<u8>,
}

impl Conversion {
    /// Set in the process that was started again.
    pub const STARTED: &str = "NOLI_FUZZ_CONVERSION";

    /// Starts this program with a cache of its own, and a script in place of Python.
    pub fn restart() -> ExitCode {
        let folder = PrivateFolder::new().expect("a folder");
        let script = folder.path().join("python");
        write(
            &script,
            format!("#!/bin/sh\n[ -e \"$NOLI_FUZZ_CONVERSION/done\" ] && exit 1\nprintf '{CUBE}' > \"$7\"\n"),
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::Permissions::from_mode(0o700);
            std::fs::set_permissions(&script, mode).expect("a program");
        }
        let program = std::env::current_exe().expect("this program");
        let status = Command::new(program)
            .args(std::env::args().skip(1))
            .env("NOLI_PYTHON", &script)
            .env("NOLI_CACHE", folder.path().join("cache"))
            .env(Self::STARTED, folder.path())
            .status();
        let is_done = status.is_ok_and(|status| status.success());
        if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    pub fn new() -> Self {
        let folder = PathBuf::from(std::env::var_os(Self::STARTED).expect("started again"));
        let source = folder.join("part.step");
        write(&source, "ISO-10303-21;\nEND-ISO-10303-21;\n");
        read_objects(&source, &ReadOptions::default()).expect("a conversion");
        let entries = std::fs::read_dir(folder.join("cache")).expect("the cache");
        let kept = entries.flatten().next().expect("a conversion is kept").path();
        // From now on the conversion fails: what is not believed in the cache is an error.
        write(&folder.join("done"), "");
        Self { source, bytes: std::fs::read(&kept).expect("its bytes"), kept }
    }

    pub fn execute(&mut self, input: &[u8]) -> Result<bool, String> {
        write(&self.kept, input);
        match read_objects(&self.source, &ReadOptions::default()) {
            Err(_) => Ok(true),
            Ok(_) if input == self.bytes => Ok(false),
            Ok(_) => Err("a changed conversion was believed".to_owned()),
        }
    }
}
