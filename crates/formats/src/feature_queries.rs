//! Files of feature queries, in the format of the public benchmark of Wang et al. (2021), and scenes of the
//! benchmark of Belgrod et al. (2023): two meshes and lists of candidate pairs.
//!
//! A query is 8 rows: its four points at time 0, then at time 1. A row holds three coordinates, each as
//! numerator and denominator, and perhaps the truth, 0 or 1. Coordinates become `f64`, rounded where they must.

use crate::error::{FileError, Place};
use crate::number::index;
use crate::read::{ReadOptions, read_mesh};
use crate::text::{excerpt, number};
use glam::DVec3;
use noli_geom::{FeatureKind, FeaturePair, MAX_COORDINATE, Mesh};
use std::path::Path;

/// The queries of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureQueries {
    /// The pairs, in order.
    pub pairs: Vec<FeaturePair>,
    /// Ground truth of contact of each pair, if known.
    pub truth: Option<Vec<bool>>,
}

/// Points of a query, at both ends of the time span.
const ROWS: usize = 8;

/// Returns the feature kind named by a path: a folder or file `vertex-face` or `edge-edge`, or a file name
/// ending in `vf` or `ee`.
pub fn feature_kind_of(path: &Path) -> Option<FeatureKind> {
    let whole = |name: &str| match name {
        "vertex-face" | "vf" => Some(FeatureKind::VertexFace),
        "edge-edge" | "ee" => Some(FeatureKind::EdgeEdge),
        _ => None,
    };
    // `227ee` but not `tree`.
    let suffix = |stem: &str| {
        let ends = |letters: &str| {
            stem.strip_suffix(letters).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphabetic()))
        };
        let (vertex_face, edge_edge) = (ends("vf"), ends("ee"));
        vertex_face.then_some(FeatureKind::VertexFace).or(edge_edge.then_some(FeatureKind::EdgeEdge))
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut folders = path.components().rev().skip(1).map(|c| c.as_os_str().to_string_lossy().into_owned());
    whole(&stem).or_else(|| suffix(&stem)).or_else(|| folders.find_map(|folder| whole(&folder)))
}

/// Reads a file of feature queries; the kind is taken from its path where none is given.
pub fn read_feature_queries(
    path: impl AsRef<Path>,
    kind: Option<FeatureKind>,
) -> Result<FeatureQueries, FileError> {
    let path = path.as_ref();
    let Some(kind) = kind.or_else(|| feature_kind_of(path)) else {
        let reason = "neither `vertex-face` nor `edge-edge` is in the path";
        return Err(FileError::new(Place::Whole, reason, "say which with --kind, or rename").in_file(path));
    };
    crate::file_bytes::bytes_of(path)
        .and_then(|bytes| parse_feature_queries(&bytes, kind))
        .map_err(|e| e.in_file(path))
}

/// Reads the bytes of a file of feature queries.
pub fn parse_feature_queries(bytes: &[u8], kind: FeatureKind) -> Result<FeatureQueries, FileError> {
    let (mut pairs, mut truth) = (Vec::new(), Vec::new());
    let mut points = Vec::with_capacity(ROWS);
    let mut columns = None;
    let mut last = 0;
    for (line, row) in (1..).zip(bytes.split(|&b| b == b'\n')) {
        let (row, place) = (row.trim_ascii(), Place::Line(line));
        if row.is_empty() {
            continue;
        }
        let (point, touching) = parse_row(row, place)?;
        if *columns.get_or_insert(touching.is_some()) != touching.is_some() {
            let reason = "some rows have a truth column and some have not";
            return Err(FileError::new(place, reason, "give 6 or 7 numbers on every row"));
        }
        if points.is_empty() {
            truth.extend(touching);
        } else if touching.is_some() && touching.as_ref() != truth.last() {
            let reason = "the truth differs from that of the query's first row";
            return Err(FileError::new(place, reason, "repeat it on all 8 rows"));
        }
        points.push(point);
        last = line;
        if let Ok(whole) = <[DVec3; ROWS]>::try_from(points.as_slice()) {
            let [a, b, c, d, e, f, g, h] = whole;
            pairs.push(FeaturePair { kind, start: [a, b, c, d], end: [e, f, g, h] });
            points.clear();
        }
    }
    if !points.is_empty() {
        let reason = format!("the last query has {} rows", points.len());
        return Err(FileError::new(
            Place::Line(last),
            reason,
            "a query is 8 rows: 4 points at the start, 4 at the end",
        ));
    }
    Ok(FeatureQueries { pairs, truth: columns.unwrap_or(false).then_some(truth) })
}

fn parse_row(row: &[u8], place: Place) -> Result<(DVec3, Option<bool>), FileError> {
    let cells: Vec<&[u8]> = row.split(|&b| b == b',').map(<[u8]>::trim_ascii).collect();
    let pairs = cells.as_chunks::<2>().0.first_chunk::<3>().filter(|_| cells.len() <= 7);
    let Some(&[x, y, z]) = pairs else {
        let reason = format!("{} values", cells.len());
        let remedy = "give x, y and z as numerator and denominator, and perhaps the truth: 6 or 7 numbers";
        return Err(FileError::new(place, reason, remedy));
    };
    let coordinate = |[above, below]: [&[u8]; 2]| {
        let value = number(above, place)? / number(below, place)?;
        if value.is_finite() && value.abs() <= MAX_COORDINATE {
            return Ok(value);
        }
        let reason = format!("`{}/{}` is no coordinate", excerpt(above), excerpt(below));
        Err(FileError::new(place, reason, "give finite numbers and a denominator other than 0"))
    };
    let truth = match cells.get(6) {
        None => None,
        Some(&b"0") => Some(false),
        Some(&b"1") => Some(true),
        Some(other) => {
            let reason = format!("`{}` is no truth", excerpt(other));
            return Err(FileError::new(place, reason, "write 1 for touching, 0 for free"));
        }
    };
    Ok((DVec3::new(coordinate(x)?, coordinate(y)?, coordinate(z)?), truth))
}

/// The undirected edges of a mesh in the numbering of the benchmark: by higher vertex, then by lower.
pub fn benchmark_edges(mesh: &Mesh) -> Vec<[u32; 2]> {
    let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let mut edges: Vec<[u32; 2]> =
        mesh.triangles().iter().flat_map(sides).map(|[a, b]| [a.max(b), a.min(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter().map(|[high, low]| [low, high]).collect()
}

/// Rebuilds queries from the meshes at both ends of a step and a JSON list of pairs of numbers: vertices count
/// first, then edges, then faces. A JSON list of truths may come with it.
pub fn rebuild_feature_queries(
    frames: [&Path; 2],
    pairs: &Path,
    truth: Option<&Path>,
    kind: FeatureKind,
) -> Result<FeatureQueries, FileError> {
    let [start, end] =
        [read_mesh(frames[0], &ReadOptions::default())?, read_mesh(frames[1], &ReadOptions::default())?];
    let whole =
        |path: &Path, reason: &str, remedy: &str| FileError::new(Place::Whole, reason, remedy).in_file(path);
    if start.triangles() != end.triangles() || start.vertices().len() != end.vertices().len() {
        return Err(whole(
            frames[1],
            "its faces differ from those at the start",
            "give two frames of one mesh",
        ));
    }
    let numbers: Vec<[u32; 2]> = read_json(pairs)?;
    let edges = benchmark_edges(&start);
    let vertices_of = |[a, b]: [u32; 2]| vertices(&start, &edges, kind, [a, b]);
    let rebuilt = numbers.into_iter().map(|numbers| {
        let vertices = vertices_of(numbers)?.map(|v| v as usize);
        let at = |mesh: &Mesh| -> Option<[DVec3; 4]> {
            let places: Option<Vec<DVec3>> =
                vertices.iter().map(|&v| mesh.vertices().get(v).copied()).collect();
            places?.try_into().ok()
        };
        Some(FeaturePair { kind, start: at(&start)?, end: at(&end)? })
    });
    let rebuilt: Option<Vec<FeaturePair>> = rebuilt.collect();
    let Some(rebuilt) = rebuilt else {
        return Err(whole(
            pairs,
            "a number is that of no such feature",
            "give pairs of the features of these meshes",
        ));
    };
    let truth: Option<Vec<bool>> = truth.map(read_json).transpose()?;
    if truth.as_ref().is_some_and(|truth| truth.len() != rebuilt.len()) {
        return Err(whole(pairs, "it has not as many pairs as there are truths", "give one truth for each"));
    }
    Ok(FeatureQueries { pairs: rebuilt, truth })
}

/// Reads a JSON list of truths, one for each query of another file.
pub fn read_truths(path: impl AsRef<Path>) -> Result<Vec<bool>, FileError> {
    read_json(path.as_ref())
}

/// A list in a JSON file.
fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, FileError> {
    let parse = |bytes: Vec<u8>| {
        serde_json::from_slice(crate::file_bytes::without_byte_order_mark(&bytes)).map_err(|error| {
            let reason = format!("not the JSON that was expected: {error}");
            FileError::new(Place::Line(error.line().max(1)), reason, "give a plain list")
        })
    };
    crate::file_bytes::bytes_of(path).and_then(parse).map_err(|error| error.in_file(path))
}

/// The vertices of two features given by number.
fn vertices(mesh: &Mesh, edges: &[[u32; 2]], kind: FeatureKind, [a, b]: [u32; 2]) -> Option<[u32; 4]> {
    let (vertices, edge_count) = (index(mesh.vertices().len()), index(edges.len()));
    let edge = |id: u32| edges.get(id.checked_sub(vertices)? as usize).copied();
    match kind {
        FeatureKind::VertexFace => {
            let face = b.checked_sub(vertices)?.checked_sub(edge_count)?;
            let [p, q, r] = *mesh.triangles().get(face as usize)?;
            (a < vertices).then_some([a, p, q, r])
        }
        FeatureKind::EdgeEdge => {
            let ([p, q], [r, s]) = (edge(a)?, edge(b)?);
            Some([p, q, r, s])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "1,2,-3,4,5,1,1\n";

    #[test]
    fn rows_become_queries() {
        let queries = parse_feature_queries(ROW.repeat(16).as_bytes(), FeatureKind::EdgeEdge).unwrap();
        assert_eq!(queries.pairs.len(), 2);
        assert_eq!(queries.pairs[0].start[3], DVec3::new(0.5, -0.75, 5.0));
        assert_eq!(queries.truth, Some(vec![true, true]));
        let bare = "1,1,1,1,1,1\r\n".repeat(8);
        assert_eq!(parse_feature_queries(bare.as_bytes(), FeatureKind::VertexFace).unwrap().truth, None);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, message) in [
            (ROW.repeat(7), "line 7: the last query has 7 rows"),
            (ROW.repeat(3) + "1,2,3\n", "line 4: 3 values"),
            (ROW.repeat(3) + "1,0,1,1,1,1,1\n", "line 4: `1/0` is no coordinate"),
            (ROW.repeat(3) + "x,1,1,1,1,1,1\n", "line 4: `x` is not a number"),
            (ROW.repeat(3) + "1,1,1,1,1,1,2\n", "line 4: `2` is no truth"),
            (ROW.repeat(3) + "1,1,1,1,1,1,0\n", "line 4: the truth differs"),
            (ROW.repeat(3) + "1,1,1,1,1,1\n", "line 4: some rows have"),
        ] {
            let error =
                parse_feature_queries(text.as_bytes(), FeatureKind::EdgeEdge).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn paths_tell_the_kind() {
        for (path, kind) in [
            ("a/vertex-face/data_0.csv", Some(FeatureKind::VertexFace)),
            ("a/edge-edge/data_0.csv", Some(FeatureKind::EdgeEdge)),
            ("queries/227ee.csv", Some(FeatureKind::EdgeEdge)),
            ("queries/227vf.csv", Some(FeatureKind::VertexFace)),
            ("steep/tree.csv", None),
        ] {
            assert_eq!(feature_kind_of(Path::new(path)), kind, "{path}");
        }
    }
}
