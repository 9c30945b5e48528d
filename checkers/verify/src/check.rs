//! The items of a certificate and its verdict (sections 1, 6 and 10).

use crate::binding::Robot;
use crate::cbor::{Reader, Value};
use crate::error::{CheckError, Result, require, required};
use crate::gzip;
use crate::header::{Claim, Model, Statement};
use crate::kinematics::Kinematics;
use crate::over::over;
use crate::proof::{Outcome, direction};
use crate::shape::{Cover, Shape};
use crate::sources::{Binding, Files};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, mpsc};

/// Options of a check.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Folder with the source files that are to be compared.
    pub files: Option<PathBuf>,
    /// Description of a robot (URDF) that is to be compared.
    pub urdf: Option<PathBuf>,
    /// Number of threads, at most 1024; 0 for as many as the machine has.
    pub threads: usize,
    /// Decides everything in exact arithmetic, also where doubles with proven bounds suffice.
    pub exact: bool,
}

impl Options {
    /// Compares the source files in a folder.
    #[must_use]
    pub fn with_files(self, folder: impl Into<PathBuf>) -> Self {
        Self { files: Some(folder.into()), ..self }
    }

    /// Compares the description of a robot (URDF).
    #[must_use]
    pub fn with_urdf(self, file: impl Into<PathBuf>) -> Self {
        Self { urdf: Some(file.into()), ..self }
    }

    /// Checks items with this number of threads.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Decides everything in exact arithmetic.
    #[must_use]
    pub fn with_exact(self) -> Self {
        Self { exact: true, ..self }
    }
}

/// The verdict on a certificate: valid if there is no error.
#[derive(Clone, Debug, Default)]
#[must_use]
#[non_exhaustive]
pub struct Report {
    /// The first fault that was found.
    pub error: Option<CheckError>,
    /// Every statement, if all are proven.
    pub statements: Vec<StatementReport>,
    /// The state of each source file, if a folder was given.
    pub sources: Vec<(String, Binding)>,
    /// Parts that were not compared with the description of a robot, if one was given.
    pub not_compared: Option<Vec<String>>,
}

/// A proven statement.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StatementReport {
    /// Its title.
    pub title: String,
    /// `separated`, `colliding`, `inside` or `not inside`.
    pub claim: &'static str,
    /// For which configurations it holds, in words.
    pub over: String,
    /// Number of pairs of bodies.
    pub pairs: usize,
    /// Number of pairs about which nothing is claimed.
    pub disabled: usize,
    /// A lower bound of the distance of all pairs, for separated ones.
    pub clearance_at_least: Option<f64>,
}

/// The words of a file that no proof covers.
pub const NOT_COVERED: &str = "names, titles, units, reasons of disabled pairs and the generator are words of the file, not of the proof";

/// More than any machine has use for.
const MOST_THREADS: usize = 1024;

/// Checks the content of a certificate file.
pub fn check(data: &[u8], options: &Options) -> Report {
    match Certificate::check(data, options) {
        Ok(report) => report,
        Err(error) => Report { error: Some(error), ..Report::default() },
    }
}

/// Statement, pair, edge and path.
type Key = (usize, usize, usize, Vec<i64>);

/// A proof or rays item: what it is for, and its last entries.
struct Task {
    count: usize,
    key: Key,
    is_rays: bool,
    values: Vec<Value>,
}

/// What the items are for.
#[derive(Default)]
struct Seen {
    proofs: HashSet<Key>,
    rays: HashSet<(usize, usize)>,
    /// Statements and pairs with a leaf of a single plane, which need no rays.
    parted: HashSet<(usize, usize)>,
}

/// What was discharged, and what is owed.
#[derive(Default)]
struct Certificate {
    seen: Seen,
    owed: HashSet<Key>,
    clearances: Vec<f64>,
}

impl Certificate {
    fn check(data: &[u8], options: &Options) -> Result<Report> {
        let content = gzip::unpacked(data)?;
        let (mut reader, files) = (Reader::new(&content), Files(options.files.clone()));
        let at =
            |count: usize| move |error: CheckError| CheckError { item: error.item.or(Some(count)), ..error };
        let header = required(reader.next().map_err(at(0))?, "E-CBOR", "the file is empty")?;
        let mut model = Model::new(&header, &files).map_err(at(0))?;
        drop(header);
        let (mut count, mut item) = (1, reader.next().map_err(at(1))?);
        while let Some(Value::Array(entries)) = &item
            && let [Value::Text(name), shape, nodes] = &entries[..]
            && name == "cover"
        {
            add_cover(&mut model, shape, nodes).map_err(at(count))?;
            count = count.saturating_add(1);
            item = reader.next().map_err(at(count))?;
        }
        let covered = |shape: &Shape| shape.mesh().is_none_or(|mesh| mesh.cover.is_some());
        require(model.shapes.iter().all(covered), "E-COVER", "a mesh has no cover")?;
        let mut own = Self { clearances: vec![f64::INFINITY; model.statements.len()], ..Self::default() };
        own.check_items(&Kinematics::new(&model, options.exact), &mut reader, item, count, options.threads)?;
        own.check_obligations(&model)?;
        let sources = files.bind(&model.sources, model.described.iter().flatten())?;
        let robot = options.urdf.as_ref().map(|file| Robot::bind(file, &model)).transpose()?;
        Ok(Report { sources, ..own.report(&model, robot) })
    }

    /// Hands proofs and rays to threads until the end item.
    fn check_items(
        &mut self,
        kinematics: &Kinematics<'_>,
        reader: &mut Reader<'_>,
        first: Option<Value>,
        count: usize,
        threads: usize,
    ) -> Result<()> {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads == 0 { available } else { threads }.min(MOST_THREADS);
        let (sender, receiver) = mpsc::sync_channel::<Task>(threads.saturating_mul(4));
        let (receiver, state) = (Mutex::new(receiver), Mutex::new((&mut *self, None::<CheckError>)));
        let work = || {
            loop {
                let Ok(task) = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv() else { return };
                let outcome = run(kinematics, &task);
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                if let Err(error) = outcome.and_then(|outcome| state.0.include(&task, outcome)) {
                    let message = format!("statement {}, pair {}: {}", task.key.0, task.key.1, error.message);
                    state.1.get_or_insert(CheckError { item: Some(task.count), message, ..error });
                }
                if state.1.is_some() {
                    // The rest is taken and dropped, so that the reader is not kept waiting.
                    drop(state);
                    while receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().is_ok() {}
                    return;
                }
            }
        };
        let mut seen = Seen::default();
        let failed = || state.lock().unwrap_or_else(PoisonError::into_inner).1.is_some();
        let read = std::thread::scope(|scope| {
            (0..threads).for_each(|_| drop(scope.spawn(work)));
            let read = tasks(kinematics.model, reader, first, count, &mut seen, |task| {
                !failed() && sender.send(task).is_ok()
            });
            drop(sender);
            read
        });
        let failure = state.into_inner().unwrap_or_else(PoisonError::into_inner).1;
        self.seen = seen;
        failure.map_or(Ok(()), Err)?;
        read
    }

    fn include(&mut self, task: &Task, (added, clearance): Outcome) -> Result<()> {
        let (statement, pair, edge, _) = task.key;
        if let Some(least) = self.clearances.get_mut(statement) {
            *least = least.min(clearance);
        }
        for path in added {
            let fresh = self.owed.insert((statement, pair, edge, path));
            require(fresh, "E-OBLIGATION", "two trees add the same obligation")?;
        }
        Ok(())
    }

    fn check_obligations(&self, model: &Model) -> Result<()> {
        let (whole, added): (Vec<&Key>, Vec<&Key>) =
            self.seen.proofs.iter().partition(|key| key.3.is_empty());
        let owed = added.iter().all(|key| self.owed.contains(*key));
        require(owed, "E-OBLIGATION", "an item is for no obligation")?;
        let discharged = added.len() == self.owed.len();
        require(discharged, "E-OPEN-OBLIGATION", "an obligation of a tree is not discharged")?;
        let needed = model.statements.iter().map(|s| s.proven_pairs().saturating_mul(s.edges()));
        let needed = needed.fold(0, usize::saturating_add);
        let open = format!("{} obligations have no proof", needed.saturating_sub(whole.len()));
        require(whole.len() == needed, "E-OPEN-OBLIGATION", open)?;
        for (number, statement) in model.statements.iter().enumerate() {
            for (pair, bodies) in statement.pairs.iter().enumerate() {
                let own = (number, pair);
                let shown = self.seen.rays.contains(&own) || self.seen.parted.contains(&own);
                let closed = shown || !needs_rays(model, statement, *bodies);
                require(closed, "E-OPEN-OBLIGATION", "a pair has no rays")?;
            }
        }
        Ok(())
    }

    fn report(self, model: &Model, robot: Option<Robot>) -> Report {
        let statements =
            model.statements.iter().zip(self.clearances).map(|(statement, least)| StatementReport {
                title: statement.title.clone(),
                claim: statement.claim.name(),
                over: over(model, statement, robot.as_ref()),
                pairs: statement.pairs.len(),
                disabled: statement.disabled.len(),
                clearance_at_least: Some(least).filter(|_| statement.claim == Claim::Separated),
            });
        let statements = statements.collect();
        Report { statements, not_compared: robot.map(|robot| robot.not_compared), ..Report::default() }
    }
}

fn needs_rays(model: &Model, statement: &Statement, (a, b): (usize, usize)) -> bool {
    let solid = [a, b].into_iter().any(|body| model.shape_of(body).solid().is_some());
    matches!(statement.claim, Claim::Separated | Claim::Inside) && solid
}

fn add_cover(model: &mut Model, shape: &Value, nodes: &Value) -> Result<()> {
    let wrong = || CheckError::new("E-COVER", "a cover is of no mesh, or the second of a mesh");
    let index = shape.index(model.shapes.len()).ok_or_else(wrong)?;
    let Some(Shape::Mesh(mesh)) = model.shapes.get_mut(index) else { return Err(wrong()) };
    require(mesh.cover.is_none(), "E-COVER", "a mesh has two covers")?;
    mesh.cover = Some(Cover::new(mesh, nodes)?);
    Ok(())
}

/// Reads the items after the covers, and passes proofs and rays on while they are taken.
fn tasks(
    model: &Model,
    reader: &mut Reader<'_>,
    mut item: Option<Value>,
    mut count: usize,
    seen: &mut Seen,
    mut pass: impl FnMut(Task) -> bool,
) -> Result<()> {
    loop {
        let at = |error: CheckError| CheckError { item: error.item.or(Some(count)), ..error };
        let Some(found) = item else {
            return Err(CheckError::new("E-CBOR", "the file is truncated: there is no end item"));
        };
        let Value::Array(entries) = found else {
            return Err(at(CheckError::new("E-ITEM", "an item is no array")));
        };
        if let [Value::Text(name), number] = &entries[..]
            && name == "end"
        {
            let right = number.index(usize::MAX) == count.checked_sub(1);
            require(right, "E-ITEM", "the end item counts wrongly").map_err(at)?;
            let nothing = reader.next().map_err(at)?.is_none();
            return require(nothing, "E-CBOR", "something follows the end item").map_err(at);
        }
        for entries in expanded(entries, model).map_err(at)? {
            if !pass(task(model, entries, count, seen).map_err(at)?) {
                return Ok(());
            }
        }
        count = count.saturating_add(1);
        item = reader.next().map_err(|error| CheckError { item: Some(count), ..error })?;
    }
}

/// The proof items that a `proofs` item stands for, with their references replaced by directions; or the item itself.
fn expanded(entries: Vec<Value>, model: &Model) -> Result<Vec<Vec<Value>>> {
    let [Value::Text(name), statement, Value::Integer(first), edge, Value::Array(trees)] = &entries[..]
    else {
        return Ok(vec![entries]);
    };
    if name != "proofs" || model.version < 2 {
        return Ok(vec![entries]);
    }
    let about = statement.index(model.statements.len()).and_then(|index| model.statements.get(index));
    let witnesses = about.is_some_and(|about| matches!(about.claim, Claim::Colliding | Claim::NotInside));
    require(!trees.is_empty() && !witnesses, "E-ITEM", "an item has no trees, or trees without cuts")?;
    let mut directions = Vec::new();
    let tree = |(number, tree): (usize, &Value)| {
        let mut tree = tree.clone();
        resolve(&mut tree, &mut directions)?;
        let pair = Value::Integer(first.saturating_add_unsigned(number as u64));
        let (name, path) = (Value::Text("proof".into()), Value::Array(Vec::new()));
        Ok(vec![name, statement.clone(), pair, edge.clone(), path, tree])
    };
    trees.iter().enumerate().map(tree).collect()
}

/// Replaces the references in the cuts of a tree: 2 is the last direction before it, 3 the one before that.
fn resolve(tree: &mut Value, directions: &mut Vec<[i64; 3]>) -> Result<()> {
    let Value::Array(leaves) = tree else { return Ok(()) };
    let cuts = leaves.iter_mut().filter_map(|leaf| if let Value::Array(c) = leaf { Some(c) } else { None });
    for token in cuts.flatten() {
        if let Value::Array(_) = token {
            directions.push(direction(token, "E-CUT")?);
        } else if let Value::Integer(back @ 2..) = token {
            let back = usize::try_from(back.saturating_sub(2)).ok();
            let named = back.and_then(|back| directions.iter().rev().nth(back));
            *token = Value::Direction(*required(named, "E-CUT", "a reference names no direction")?);
        }
    }
    Ok(())
}

fn task(model: &Model, mut entries: Vec<Value>, count: usize, seen: &mut Seen) -> Result<Task> {
    let none = || CheckError::new("E-OBLIGATION", "an item is for no obligation");
    let (number, pair, proof) = match &entries[..] {
        [Value::Text(name), number, pair, edge, path, tree] if name == "proof" => {
            (number, pair, Some((edge, path, tree)))
        }
        [Value::Text(name), number, pair, _, _] if name == "rays" => (number, pair, None),
        _ => return Err(CheckError::new("E-ITEM", "an item is of no known form, or out of order")),
    };
    let number = number.index(model.statements.len()).ok_or_else(none)?;
    let statement = model.statements.get(number).ok_or_else(none)?;
    let Some((edge, path, tree)) = proof else {
        let pair = pair.index(statement.pairs.len()).ok_or_else(none)?;
        let needed = statement.pairs.get(pair).is_some_and(|bodies| needs_rays(model, statement, *bodies));
        require(needed, "E-OBLIGATION", "rays are not needed here")?;
        require(seen.rays.insert((number, pair)), "E-OBLIGATION", "rays are given twice")?;
        let values = entries.split_off(3);
        return Ok(Task { count, key: (number, pair, 0, Vec::new()), is_rays: true, values });
    };
    let pair = pair.index(statement.proven_pairs()).ok_or_else(none)?;
    let edge = edge.index(statement.edges()).ok_or_else(none)?;
    let path: Option<Vec<i64>> = path.array().ok_or_else(none)?.iter().map(Value::integer).collect();
    let key = (number, pair, edge, path.ok_or_else(none)?);
    require(seen.proofs.insert(key.clone()), "E-OBLIGATION", "an obligation is discharged twice")?;
    let single = |token: &Value| token.array().is_some_and(|cut| cut.len() == 1);
    let has_single = tree.array().is_some_and(|tree| tree.iter().any(single));
    if model.version > 1 && statement.claim == Claim::Separated && has_single {
        seen.parted.insert((number, pair));
    }
    Ok(Task { count, key, is_rays: false, values: entries.split_off(5) })
}

fn run(kinematics: &Kinematics<'_>, Task { key, is_rays, values, .. }: &Task) -> Result<Outcome> {
    let none = || CheckError::new("E-OBLIGATION", "an item is for no obligation");
    let statement = kinematics.model.statements.get(key.0).ok_or_else(none)?;
    if *is_rays {
        return kinematics.check_rays(statement, key.1, values).map(|()| (Vec::new(), f64::INFINITY));
    }
    kinematics.check_proof(statement, key, values.first().ok_or_else(none)?)
}
