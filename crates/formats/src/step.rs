//! STEP files by the reader of `noli-brep`: bodies with their surfaces, and triangles within a stated chord of them.

use crate::error::{FileError, Place};
use crate::memory_limit::memory_limit;
use crate::number::index;
use crate::objects::CurvedBody;
use crate::raw::Raw;
use noli_brep::Brep;
use noli_brep::step::{self, Part, StepFile};
use noli_geom::Mesh;
use std::collections::HashMap;

/// Bytes of memory for a vertex or a triangle, with those of a growing list.
const MEMORY: u64 = 32;
/// Most entities that a message lists.
const LISTED: usize = 4;

/// A file with its curved surfaces.
pub(crate) struct Parsed {
    pub(crate) raw: Raw,
    /// The triangles of every solid are closed.
    pub(crate) is_watertight: bool,
}

/// Triangulates the bodies of a file and keeps their surfaces.
pub(crate) fn parse(bytes: &[u8], chord_mm: f64) -> Result<Parsed, FileError> {
    let memory = usize::try_from(memory_limit()).unwrap_or(usize::MAX);
    let file = step::read_within(bytes, memory)
        .map_err(|error| FileError::new(Place::Line(error.line.max(1)), error.reason, error.remedy))?;
    if let Some(first) = file.unread.first() {
        let place = if first.line > 0 { Place::Line(first.line) } else { Place::Whole };
        return Err(FileError::new(
            place,
            unread(&file),
            "export the file without these entities, or export STL",
        ));
    }
    if file.parts.is_empty() {
        let remedy = "export solids (AP203, AP214 or AP242)";
        return Err(match file.left_out.first() {
            Some(first) => {
                FileError::new(Place::Line(first.line), format!("{}: {}", first.entity, first.reason), remedy)
            }
            None => FileError::new(Place::Whole, "the file holds no solids or shells", remedy),
        });
    }
    let mut raw = Raw::default();
    let mut deviation = 0.0f64;
    let (mut flaws, mut turned): (Vec<String>, usize) = (Vec::new(), 0);
    let mut left = usize::try_from(memory_limit() / MEMORY).unwrap_or(usize::MAX).min(u32::MAX as usize);
    let mut tessellated: HashMap<*const Brep, (Mesh, f64)> = HashMap::new();
    for (part, label) in file.parts.iter().zip(labels(&file.parts)) {
        let key = std::sync::Arc::as_ptr(&part.body);
        if let std::collections::hash_map::Entry::Vacant(entry) = tessellated.entry(key) {
            let made = part.body.tessellated_within(chord_mm).map_err(crate::raw::unexpected)?;
            let (mesh, _) = entry.insert(made);
            flaws.extend(flaw(&part.body, mesh).map(|flaw| format!("{label}: {flaw}")));
            turned = usize::saturating_add(turned, part.body.shell_report().turned_faces);
        }
        let Some((mesh, own)) = tessellated.get(&key) else { continue };
        deviation = deviation.max(*own);
        let size = usize::saturating_add(mesh.vertices().len(), mesh.triangle_count());
        left = left.checked_sub(size).ok_or_else(|| {
            let reason = "its bodies, each as often as it is used, need more memory than is allowed";
            FileError::new(Place::Whole, reason, "read parts of the assembly, or raise --memory")
        })?;
        let first = index(raw.vertices.len());
        raw.objects.start_new(label.as_bytes(), raw.faces.len());
        raw.curved.push(CurvedBody { body: part.body.clone(), pose: part.pose, millimetre: 1.0 });
        raw.vertices.extend(mesh.vertices().iter().map(|&vertex| part.pose.transform_point(vertex)));
        for triangle in mesh.triangles() {
            raw.faces.push(triangle.map(|vertex| first.saturating_add(vertex)));
        }
    }
    for first in file.left_out.iter().take(1) {
        let more = match file.left_out.len().saturating_sub(1) {
            0 => String::new(),
            more => format!("; so is the case for {more} more"),
        };
        raw.warn(Place::Line(first.line), format!("{}: {}{more}", first.entity, first.reason));
    }
    raw.uncertainty = chord_mm.max(deviation);
    let text = format!("curved faces are triangulated within {deviation:.3} mm for drawing and motions");
    raw.warn(Place::Whole, text);
    if turned > 0 {
        let text = format!("the loops of {turned} faces run against those beside them: they are turned");
        raw.warn(Place::Whole, text);
    }
    for flaw in flaws.iter().take(LISTED) {
        raw.warn(Place::Whole, flaw.clone());
    }
    if let Some(more) = flaws.len().checked_sub(LISTED).filter(|&more| more > 0) {
        raw.warn(Place::Whole, format!("and {more} more solids do not bound one"));
    }
    Ok(Parsed { raw, is_watertight: flaws.is_empty() })
}

/// Why a body that its file calls a solid, or its triangles, bounds none.
fn flaw(body: &Brep, mesh: &Mesh) -> Option<String> {
    if !body.is_solid() {
        return None;
    }
    let shell = body.shell_report();
    shell.flaw().or_else(|| {
        let flaw = mesh.report().flaw()?;
        Some(format!(
            "its shell is closed, but its triangles are not ({flaw}): only `noli check` takes it as a solid"
        ))
    })
}

/// The entities that were not read, with their lines.
fn unread(file: &StepFile) -> String {
    let place = |line: usize| if line > 0 { format!(" in line {line}") } else { String::new() };
    let listed = file.unread.iter().take(LISTED);
    let listed = listed.map(|u| format!("{}{} ({})", u.entity, place(u.line), u.reason));
    let more = file.unread.len().saturating_sub(LISTED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("not supported: {}{rest}", listed.collect::<Vec<_>>().join(", "))
}

/// Names of the parts: their path in the assembly, numbered where a part has several bodies.
fn labels(parts: &[Part]) -> Vec<String> {
    let paths: Vec<String> = parts
        .iter()
        .map(|part| part.path.iter().map(|name| name.replace('/', "_")).collect::<Vec<_>>().join("/"))
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for path in &paths {
        let count = counts.entry(path).or_insert(0);
        *count = count.saturating_add(1);
    }
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut labels = Vec::with_capacity(paths.len());
    for path in &paths {
        let number = numbers.entry(path).or_insert(0);
        *number = number.saturating_add(1);
        let is_shared = counts.get(path.as_str()).is_some_and(|&count| count > 1);
        labels.push(if is_shared { format!("{path}/{number}") } else { path.clone() });
    }
    labels
}
