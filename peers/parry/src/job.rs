//! Reading a job folder.

use crate::Failure;
use parry3d_f64::math::{Pose, Rotation, Vector};
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: JOB overlap|contacts|distance|depth|impact|build REPEATS [--limit N] [--volume convex]";

pub struct Mesh {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

pub struct Job {
    pub a: Mesh,
    pub b: Mesh,
    pub poses: Vec<Pose>,
    /// Start poses of motions; empty for other queries.
    pub starts: Vec<Pose>,
    pub query: String,
    pub repeats: usize,
    /// `true` if the bodies are the hulls of their vertices.
    pub convex: bool,
}

impl Job {
    pub fn from_args() -> Result<Self, Failure> {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let [folder, query, repeats, flags @ ..] = args.as_slice() else { return Err(USAGE.into()) };
        let (mut limit, mut convex) = (usize::MAX, false);
        for flag in flags.chunks(2) {
            match flag {
                [flag, value] if flag == "--limit" => limit = value.parse()?,
                [flag, value] if flag == "--volume" && value == "convex" => convex = true,
                _ => return Err(USAGE.into()),
            }
        }
        let folder = PathBuf::from(folder);
        Ok(Self {
            a: read_mesh(&folder.join("a.raw"))?,
            b: read_mesh(&folder.join("b.raw"))?,
            poses: read_poses(&folder.join("poses.csv"), limit)?,
            starts: match query.as_str() {
                "impact" => read_poses(&folder.join("starts.csv"), limit)?,
                _ => Vec::new(),
            },
            query: query.clone(),
            repeats: repeats.parse()?,
            convex,
        })
    }
}

fn read_mesh(path: &Path) -> Result<Mesh, Failure> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse_mesh(&bytes).ok_or_else(|| format!("{}: not a NOLIRAW1 mesh", path.display()).into())
}

fn parse_mesh(bytes: &[u8]) -> Option<Mesh> {
    let (counts, rest) = bytes.strip_prefix(b"NOLIRAW1")?.split_at_checked(16)?;
    let (counts, _) = counts.as_chunks::<8>();
    let [vertices, triangles] = [0, 1].map(|i| u64::from_le_bytes(counts[i]) as usize);
    let (coordinates, rest) = rest.split_at_checked(vertices.checked_mul(24)?)?;
    let indices = rest.get(..triangles.checked_mul(12)?)?;
    let coordinates = coordinates.as_chunks::<8>().0.as_chunks::<3>().0;
    let indices = indices.as_chunks::<4>().0.as_chunks::<3>().0;
    Some(Mesh {
        vertices: coordinates.iter().map(|v| v.map(f64::from_le_bytes)).collect(),
        triangles: indices.iter().map(|t| t.map(u32::from_le_bytes)).collect(),
    })
}

fn read_poses(path: &Path, limit: usize) -> Result<Vec<Pose>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.lines().skip(1).take(limit).map(parse_pose).collect()
}

fn parse_pose(line: &str) -> Result<Pose, Failure> {
    let row = line.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let &[x, y, z, w, tx, ty, tz] = row.as_slice() else { return Err("a row without seven numbers".into()) };
    let rotation = Rotation::from_xyzw(x, y, z, w).normalize();
    Ok(Pose::from_parts(Vector::new(tx, ty, tz), rotation))
}
