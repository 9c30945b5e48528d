//! The items of a certificate and its verdict (sections 1, 6 and 10).

use crate::cbor::{Reader, Value};
use crate::error::{CheckError, Result, require, required};
use crate::gzip;
use crate::header::{Claim, Model, Statement};
use crate::kinematics::Kinematics;
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
    /// Number of threads; 0 for as many as the machine has.
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
}

/// A proven statement.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StatementReport {
    /// Its title.
    pub title: String,
    /// `separated`, `colliding` or `inside`.
    pub claim: &'static str,
    /// Number of pairs of bodies.
    pub pairs: usize,
    /// Number of pairs about which nothing is claimed.
    pub disabled: usize,
    /// A lower bound of the distance of all pairs, for separated ones.
    pub clearance_at_least: Option<f64>,
}

/// Checks the content of a certificate file.
pub fn check(data: &[u8], options: &Options) -> Report {
    match Certificate::check(data, options) {
        Ok(report) => report,
        Err(error) => Report { error: Some(error), ..Report::default() },
    }
}

/// A proof or rays item, and what it is for.
struct Task {
    count: usize,
    statement: usize,
    pair: usize,
    kind: TaskKind,
}

enum TaskKind {
    Proof { edge: usize, path: Vec<i64>, tree: Value },
    Rays([Value; 2]),
}

type Key = (usize, usize, usize, Vec<i64>);

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
            count += 1;
            item = reader.next().map_err(at(count))?;
        }
        let covered = |shape: &Shape| shape.mesh().is_none_or(|mesh| mesh.cover.is_some());
        require(model.shapes.iter().all(covered), "E-COVER", "a mesh has no cover")?;
        let mut own = Self { clearances: vec![f64::INFINITY; model.statements.len()], ..Self::default() };
        own.check_items(&Kinematics::new(&model, options.exact), &mut reader, item, count, options.threads)?;
        own.check_obligations(&model)?;
        let sources = if files.0.is_some() {
            files.bind(&model.sources, model.described.iter().flatten())?
        } else {
            Vec::new()
        };
        Ok(own.report(&model, sources))
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
        let threads = if threads == 0 { available } else { threads };
        let (sender, receiver) = mpsc::sync_channel::<Task>(4 * threads);
        let (receiver, state) = (Mutex::new(receiver), Mutex::new((&mut *self, None::<CheckError>)));
        let work = || {
            loop {
                let Ok(task) = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv() else { return };
                let outcome = run(kinematics, &task);
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                if let Err(error) = outcome.and_then(|outcome| state.0.include(&task, outcome)) {
                    let message =
                        format!("statement {}, pair {}: {}", task.statement, task.pair, error.message);
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
        let least = &mut self.clearances[task.statement];
        *least = least.min(clearance);
        let TaskKind::Proof { edge, .. } = &task.kind else { return Ok(()) };
        for path in added {
            let fresh = self.owed.insert((task.statement, task.pair, *edge, path));
            require(fresh, "E-OBLIGATION", "two trees add the same obligation")?;
        }
        Ok(())
    }

    fn check_obligations(&self, model: &Model) -> Result<()> {
        let (mut whole, mut added) = (0, 0);
        for key in &self.seen.proofs {
            if key.3.is_empty() {
                whole += 1;
            } else {
                require(self.owed.contains(key), "E-OBLIGATION", "an item is for no obligation")?;
                added += 1;
            }
        }
        require(added == self.owed.len(), "E-OPEN-OBLIGATION", "an obligation of a tree is not discharged")?;
        let needed: usize = model.statements.iter().map(|s| s.proven_pairs() * s.edges()).sum();
        let open = format!("{} obligations have no proof", needed - whole);
        require(whole == needed, "E-OPEN-OBLIGATION", open)?;
        for (number, statement) in model.statements.iter().enumerate() {
            for (pair, bodies) in statement.pairs.iter().enumerate() {
                let shown = [&self.seen.rays, &self.seen.parted].iter().any(|set| set.contains(&(number, pair)));
                let open = needs_rays(model, statement, *bodies) && !shown;
                require(!open, "E-OPEN-OBLIGATION", "a pair has no rays")?;
            }
        }
        Ok(())
    }

    fn report(self, model: &Model, sources: Vec<(String, Binding)>) -> Report {
        let statements =
            model.statements.iter().zip(self.clearances).map(|(statement, least)| StatementReport {
                title: statement.title.clone(),
                claim: statement.claim.name(),
                pairs: statement.pairs.len(),
                disabled: statement.disabled,
                clearance_at_least: Some(least).filter(|_| statement.claim == Claim::Separated),
            });
        Report { error: None, statements: statements.collect(), sources }
    }
}

fn needs_rays(model: &Model, statement: &Statement, (a, b): (usize, usize)) -> bool {
    let solid = [a, b].into_iter().any(|body| model.shape_of(body).solid().is_some());
    statement.claim != Claim::Colliding && solid
}

fn add_cover(model: &mut Model, shape: &Value, nodes: &Value) -> Result<()> {
    let wrong = || CheckError::new("E-COVER", "a cover is of no mesh, or the second of a mesh");
    let index = shape.index(model.shapes.len()).ok_or_else(wrong)?;
    let Shape::Mesh(mesh) = &mut model.shapes[index] else { return Err(wrong()) };
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
            let right = number.index(usize::MAX) == Some(count - 1);
            require(right, "E-ITEM", "the end item counts wrongly").map_err(at)?;
            let nothing = reader.next().map_err(at)?.is_none();
            return require(nothing, "E-CBOR", "something follows the end item").map_err(at);
        }
        for entries in expanded(entries, model.version).map_err(at)? {
            if !pass(task(model, entries, count, seen).map_err(at)?) {
                return Ok(());
            }
        }
        count += 1;
        item = reader.next().map_err(|error| CheckError { item: Some(count), ..error })?;
    }
}

/// The proof items that a `proofs` item stands for, with their references replaced by directions; or the item itself.
fn expanded(entries: Vec<Value>, version: i64) -> Result<Vec<Vec<Value>>> {
    let [Value::Text(name), statement, Value::Integer(first), edge, Value::Array(trees)] = &entries[..] else {
        return Ok(vec![entries]);
    };
    if name != "proofs" || version < 2 {
        return Ok(vec![entries]);
    }
    require(!trees.is_empty(), "E-ITEM", "an item has no trees")?;
    let mut directions = Vec::new();
    let tree = |(number, tree): (usize, &Value)| {
        let mut tree = tree.clone();
        resolve(&mut tree, &mut directions)?;
        let pair = Value::Integer(first.saturating_add(number as i64));
        let (name, path) = (Value::Text("proof".into()), Value::Array(Vec::new()));
        Ok(vec![name, statement.clone(), pair, edge.clone(), path, tree])
    };
    trees.iter().enumerate().map(tree).collect()
}

/// Replaces the references in the cuts of a tree: 2 is the last direction before it, 3 the one before that.
fn resolve(tree: &mut Value, directions: &mut Vec<[i64; 3]>) -> Result<()> {
    let Value::Array(leaves) = tree else { return Ok(()) };
    for leaf in leaves {
        let Value::Array(tokens) = leaf else { continue };
        for token in tokens {
            match token {
                Value::Array(_) => directions.push(direction(token, "E-CUT")?),
                Value::Integer(back @ 2..) => {
                    let at = usize::try_from(*back - 1).ok().and_then(|back| directions.len().checked_sub(back));
                    let named = at.and_then(|at| directions.get(at));
                    *token = Value::Direction(*required(named, "E-CUT", "a reference names no direction")?);
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn task(
    model: &Model,
    entries: Vec<Value>,
    count: usize,
    seen: &mut Seen,
) -> Result<Task> {
    let unknown = || CheckError::new("E-ITEM", "an item is of no known form, or out of order");
    let none = || CheckError::new("E-OBLIGATION", "an item is for no obligation");
    let name = entries.first().and_then(Value::text).ok_or_else(unknown)?.to_owned();
    let form = match name.as_str() {
        "proof" => 6,
        "rays" => 5,
        _ => return Err(unknown()),
    };
    require(entries.len() == form, "E-ITEM", "an item is of no known form")?;
    let statement = entries[1].index(model.statements.len()).ok_or_else(none)?;
    let described = &model.statements[statement];
    if name == "rays" {
        let pair = entries[2].index(described.pairs.len()).ok_or_else(none)?;
        let needed = needs_rays(model, described, described.pairs[pair]);
        require(needed, "E-OBLIGATION", "rays are not needed here")?;
        require(seen.rays.insert((statement, pair)), "E-OBLIGATION", "rays are given twice")?;
        let [_, _, _, a, b] = <[Value; 5]>::try_from(entries).map_err(|_| unknown())?;
        return Ok(Task { count, statement, pair, kind: TaskKind::Rays([a, b]) });
    }
    let pair = entries[2].index(described.proven_pairs()).ok_or_else(none)?;
    let edge = entries[3].index(described.edges()).ok_or_else(none)?;
    let path: Option<Vec<i64>> = entries[4].array().ok_or_else(none)?.iter().map(Value::integer).collect();
    let path = path.ok_or_else(none)?;
    let fresh = seen.proofs.insert((statement, pair, edge, path.clone()));
    require(fresh, "E-OBLIGATION", "an obligation is discharged twice")?;
    let tree = entries.into_iter().next_back().ok_or_else(unknown)?;
    let single = |token: &Value| token.array().is_some_and(|cut| cut.len() == 1);
    if model.version > 1 && described.claim == Claim::Separated && tree.array().is_some_and(|t| t.iter().any(single)) {
        seen.parted.insert((statement, pair));
    }
    Ok(Task { count, statement, pair, kind: TaskKind::Proof { edge, path, tree } })
}

fn run(kinematics: &Kinematics<'_>, task: &Task) -> Result<Outcome> {
    let statement = &kinematics.model.statements[task.statement];
    match &task.kind {
        TaskKind::Rays([a, b]) => {
            kinematics.check_rays(statement, task.pair, [a, b]).map(|()| (Vec::new(), f64::INFINITY))
        }
        TaskKind::Proof { edge, path, tree } => {
            kinematics.check_proof(statement, task.pair, *edge, path, tree)
        }
    }
}
