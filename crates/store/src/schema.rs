//! The tables, version by version. A version that was published is never changed: the next one changes it.

/// `noli` as a number: the application id of our SQLite files.
pub(crate) const APPLICATION: i64 = 0x6e6f_6c69;

/// Migrations from each version to the next; the first creates the tables.
pub(crate) const MIGRATIONS: [&str; 3] = [FIRST, SECOND, THIRD];

/// The newest version.
#[allow(clippy::cast_possible_wrap, reason = "three")]
pub(crate) const LATEST: i64 = MIGRATIONS.len() as i64;

const FIRST: &str = "
CREATE TABLE blob (
    hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
    bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE component (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    blob TEXT NOT NULL REFERENCES blob (hash),
    format TEXT NOT NULL,
    object TEXT,
    units TEXT NOT NULL,
    triangles INTEGER NOT NULL,
    closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
    volume REAL,
    density REAL CHECK (density IS NULL OR density > 0),
    mass REAL CHECK (mass IS NULL OR mass >= 0),
    center_x REAL, center_y REAL, center_z REAL,
    ixx REAL, iyy REAL, izz REAL, ixy REAL, ixz REAL, iyz REAL
) STRICT;
CREATE INDEX component_of_blob ON component (blob);

CREATE TABLE manipulator (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    text TEXT REFERENCES blob (hash)
) STRICT;

CREATE TABLE part (
    manipulator INTEGER NOT NULL REFERENCES manipulator (id) ON DELETE CASCADE,
    id INTEGER NOT NULL CHECK (id >= 0),
    name TEXT NOT NULL,
    mass REAL,
    inertial TEXT,
    PRIMARY KEY (manipulator, id),
    UNIQUE (manipulator, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE part_shape (
    manipulator INTEGER NOT NULL,
    part INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('collision', 'visual')),
    kind TEXT NOT NULL CHECK (kind IN ('box', 'cylinder', 'capsule', 'sphere', 'mesh')),
    component INTEGER REFERENCES component (id),
    file TEXT,
    a REAL, b REAL, c REAL,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    qx REAL NOT NULL, qy REAL NOT NULL, qz REAL NOT NULL, qw REAL NOT NULL,
    PRIMARY KEY (manipulator, part, role, seq),
    FOREIGN KEY (manipulator, part) REFERENCES part (manipulator, id) ON DELETE CASCADE,
    CHECK ((kind = 'mesh') = (component IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE joint (
    manipulator INTEGER NOT NULL,
    id INTEGER NOT NULL CHECK (id >= 1),
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('fixed', 'revolute', 'continuous', 'prismatic', 'planar', 'floating')),
    fixed_part INTEGER NOT NULL,
    moving_part INTEGER NOT NULL,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    qx REAL NOT NULL, qy REAL NOT NULL, qz REAL NOT NULL, qw REAL NOT NULL,
    child_x REAL NOT NULL, child_y REAL NOT NULL, child_z REAL NOT NULL,
    child_qx REAL NOT NULL, child_qy REAL NOT NULL, child_qz REAL NOT NULL, child_qw REAL NOT NULL,
    axis_x REAL NOT NULL, axis_y REAL NOT NULL, axis_z REAL NOT NULL,
    lower REAL, upper REAL, velocity REAL, acceleration REAL, effort REAL,
    follows TEXT, multiplier REAL, added REAL,
    PRIMARY KEY (manipulator, id),
    UNIQUE (manipulator, name),
    UNIQUE (manipulator, moving_part),
    FOREIGN KEY (manipulator, fixed_part) REFERENCES part (manipulator, id) ON DELETE CASCADE,
    FOREIGN KEY (manipulator, moving_part) REFERENCES part (manipulator, id) ON DELETE CASCADE,
    CHECK (fixed_part < moving_part)
) STRICT, WITHOUT ROWID;

CREATE TABLE program (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE cell (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('cell', 'scene')),
    text TEXT NOT NULL
) STRICT;

CREATE TABLE cell_file (
    cell INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    blob TEXT NOT NULL REFERENCES blob (hash),
    PRIMARY KEY (cell, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE location (
    cell INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('joints', 'world', 'frame', 'relative')),
    frame TEXT,
    x REAL, y REAL, z REAL, qx REAL, qy REAL, qz REAL, qw REAL,
    joints TEXT,
    PRIMARY KEY (cell, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE signal (
    cell INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    name TEXT,
    drive TEXT NOT NULL,
    PRIMARY KEY (cell, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    cell TEXT NOT NULL,
    program TEXT NOT NULL,
    outcome TEXT NOT NULL,
    ended TEXT NOT NULL,
    seconds REAL NOT NULL,
    report TEXT NOT NULL
) STRICT;

CREATE TABLE collision_log (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    line INTEGER NOT NULL,
    safe_until REAL NOT NULL,
    touching_by REAL NOT NULL,
    a TEXT NOT NULL,
    b TEXT NOT NULL,
    x REAL, y REAL, z REAL,
    nx REAL, ny REAL, nz REAL,
    clearance REAL,
    configuration TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
";

const SECOND: &str = "
ALTER TABLE component ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE component ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

CREATE TABLE prepared (
    component INTEGER PRIMARY KEY REFERENCES component (id) ON DELETE CASCADE,
    blob TEXT NOT NULL,
    tree BLOB NOT NULL
) STRICT;

CREATE TABLE tool (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    component INTEGER REFERENCES component (id),
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    qx REAL NOT NULL, qy REAL NOT NULL, qz REAL NOT NULL, qw REAL NOT NULL
) STRICT;

CREATE TABLE pair_default (
    manipulator INTEGER NOT NULL REFERENCES manipulator (id) ON DELETE CASCADE,
    a TEXT NOT NULL,
    b TEXT NOT NULL,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    reason TEXT NOT NULL,
    PRIMARY KEY (manipulator, a, b),
    CHECK (a < b)
) STRICT, WITHOUT ROWID;

CREATE TABLE pair_edit (
    manipulator INTEGER NOT NULL REFERENCES manipulator (id) ON DELETE CASCADE,
    a TEXT NOT NULL,
    b TEXT NOT NULL,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    margin REAL CHECK (margin IS NULL OR margin >= 0),
    reason TEXT NOT NULL,
    PRIMARY KEY (manipulator, a, b),
    CHECK (a < b)
) STRICT, WITHOUT ROWID;

CREATE TABLE preference (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

const THIRD: &str = "
CREATE INDEX run_of_cell ON run (cell, id);

CREATE VIEW components AS
    SELECT c.id, c.name, c.format, c.object, c.units, c.triangles, c.closed, c.volume, c.density,
        COALESCE(c.mass, c.density * c.volume) AS mass, c.center_x, c.center_y, c.center_z, c.source,
        c.version, c.blob, length(b.bytes) AS bytes
    FROM component c JOIN blob b ON b.hash = c.blob;

CREATE VIEW manipulators AS
    SELECT m.id, m.name, (SELECT count(*) FROM part p WHERE p.manipulator = m.id) AS parts,
        (SELECT count(*) FROM joint j WHERE j.manipulator = m.id) AS joints,
        (SELECT count(*) FROM joint j WHERE j.manipulator = m.id AND j.kind <> 'fixed') AS moving_joints,
        (SELECT count(DISTINCT s.component) FROM part_shape s WHERE s.manipulator = m.id) AS meshes
    FROM manipulator m;

CREATE VIEW pairs AS
    SELECT d.manipulator, d.a, d.b, COALESCE(e.enabled, d.enabled) AS enabled, e.margin,
        COALESCE(e.reason, d.reason) AS reason, e.manipulator IS NOT NULL AS edited
    FROM pair_default d LEFT JOIN pair_edit e ON (e.manipulator, e.a, e.b) = (d.manipulator, d.a, d.b)
    UNION ALL
    SELECT e.manipulator, e.a, e.b, e.enabled, e.margin, e.reason, 1
    FROM pair_edit e
    WHERE NOT EXISTS (SELECT 1 FROM pair_default d WHERE (d.manipulator, d.a, d.b) = (e.manipulator, e.a, e.b));

CREATE VIEW runs AS
    SELECT r.id, r.cell, r.program, r.outcome, r.ended, r.seconds,
        (SELECT count(*) FROM collision_log l WHERE l.run = r.id) AS contacts
    FROM run r;

CREATE VIEW collisions AS
    SELECT r.cell, r.program, l.* FROM collision_log l JOIN run r ON r.id = l.run;
";
