//! Binary glTF output: bodies at their poses, with their motions.

use super::container::{BINARY, JSON, MAGIC};
use crate::error::{FileError, Place};
use crate::number::{index, single};
use noli_geom::{Mesh, Pose};
use serde_json::{Value, json};

/// A body of a glTF file, in metres.
#[derive(Clone, Debug)]
pub struct GltfBody<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its surface.
    pub mesh: &'a Mesh,
    /// Its placement.
    pub pose: Pose,
}

/// Poses of bodies over time, with uniform motion between two times.
#[derive(Clone, Debug, Default)]
pub struct GltfTrack {
    /// Its name.
    pub name: String,
    /// Seconds, rising.
    pub times: Vec<f64>,
    /// For each time the poses of all bodies.
    pub poses: Vec<Vec<Pose>>,
}

/// Returns the bytes of a binary glTF file (`.glb`): every body is a node with its mesh; moving bodies have
/// channels of one animation. The z axis of noli and the y axis of glTF are up, so all nodes are children of a
/// rotated node. Coordinates are rounded to single precision, as glTF requires.
pub fn write_gltf(bodies: &[GltfBody<'_>], track: Option<&GltfTrack>) -> Result<Vec<u8>, FileError> {
    let mut file = Writer::default();
    // The node that holds all is the last.
    let root = bodies.len();
    let mut nodes = Vec::new();
    for body in bodies {
        let mut node = json!({
            "name": body.name,
            "translation": translation(&body.pose),
            "rotation": rotation(&body.pose),
        });
        // Meshes without triangles cannot be said in glTF.
        if body.mesh.triangle_count() > 0 {
            node["mesh"] = json!(file.mesh(body.mesh)?);
        }
        nodes.push(node);
    }
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let children: Vec<usize> = (0..root).collect();
    let mut top = json!({ "name": "world, z up", "rotation": [-half, 0.0, 0.0, half] });
    if root > 0 {
        top["children"] = json!(children);
    }
    nodes.push(top);
    let animations = track.and_then(|track| file.animation(bodies.len(), track));
    let mut root_object = json!({
        "asset": { "version": "2.0", "generator": "noli" },
        "scene": 0,
        "scenes": [{ "nodes": [root] }],
        "nodes": nodes,
    });
    // Empty lists are not allowed.
    let lists = [
        ("meshes", file.meshes),
        ("accessors", file.accessors),
        ("bufferViews", file.views),
        ("animations", animations.into_iter().collect()),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        root_object[name] = Value::Array(list);
    }
    if !file.bytes.is_empty() {
        root_object["buffers"] = json!([{ "byteLength": file.bytes.len() }]);
    }
    container(root_object.to_string().into_bytes(), file.bytes)
}

fn translation(pose: &Pose) -> [f32; 3] {
    pose.translation.to_array().map(single)
}

fn rotation(pose: &Pose) -> [f32; 4] {
    pose.rotation.normalize().to_array().map(single)
}

/// The two chunks of a binary file, each filled up to whole words.
fn container(mut json: Vec<u8>, mut binary: Vec<u8>) -> Result<Vec<u8>, FileError> {
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut chunks: Vec<(u32, &[u8])> = vec![(JSON, &json)];
    if !binary.is_empty() {
        chunks.push((BINARY, &binary));
    }
    let length = 12 + chunks.iter().map(|(_, chunk)| 8 + chunk.len()).sum::<usize>();
    let Ok(length) = u32::try_from(length) else {
        let reason = "a binary glTF file holds at most 4 GB";
        return Err(FileError::new(Place::Whole, reason, "write fewer bodies, or fewer frames"));
    };
    let mut out = MAGIC.to_vec();
    out.extend(2u32.to_le_bytes());
    out.extend(length.to_le_bytes());
    for (kind, chunk) in chunks {
        out.extend(index(chunk.len()).to_le_bytes());
        out.extend(kind.to_le_bytes());
        out.extend(chunk);
    }
    Ok(out)
}

/// glTF's numbers for `f32` and `u32`, and for what a view is used for.
const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
}

impl Writer {
    /// Adds words as a view; `target` where one is due.
    fn view(&mut self, words: impl Iterator<Item = [u8; 4]>, target: Option<u32>) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(words.flatten());
        let length = self.bytes.len() - start;
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": length });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    fn floats<const N: usize>(&mut self, rows: &[[f32; N]], kind: &str, target: Option<u32>) -> usize {
        let view = self.view(rows.iter().flatten().map(|x| x.to_le_bytes()), target);
        let ends = |better: fn(f32, f32) -> f32| {
            let mut best = rows.first().copied().unwrap_or([0.0; N]);
            rows.iter().for_each(|row| (0..N).for_each(|k| best[k] = better(best[k], row[k])));
            best.to_vec()
        };
        self.accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": rows.len(), "type": kind,
            "min": ends(f32::min), "max": ends(f32::max),
        }));
        self.accessors.len() - 1
    }

    fn mesh(&mut self, mesh: &Mesh) -> Result<usize, FileError> {
        let vertices: Vec<[f32; 3]> = mesh.vertices().iter().map(|v| v.to_array().map(single)).collect();
        if vertices.iter().flatten().any(|x| !x.is_finite()) {
            let reason = "a coordinate is too large for glTF, which holds 32-bit numbers";
            return Err(FileError::new(Place::Whole, reason, "write OBJ, OFF or PLY"));
        }
        let position = self.floats(&vertices, "VEC3", Some(VERTICES));
        let numbers = mesh.triangles().iter().flatten().map(|v| v.to_le_bytes());
        let view = self.view(numbers, Some(INDICES));
        self.accessors.push(json!({
            "bufferView": view, "componentType": UNSIGNED, "count": 3 * mesh.triangle_count(), "type": "SCALAR",
        }));
        let indices = self.accessors.len() - 1;
        self.meshes.push(json!({
            "primitives": [{ "attributes": { "POSITION": position }, "indices": indices }],
        }));
        Ok(self.meshes.len() - 1)
    }

    /// Channels for the bodies that move; `None` if none does.
    fn animation(&mut self, count: usize, track: &GltfTrack) -> Option<Value> {
        // Times must rise in single precision too.
        let mut kept: Vec<usize> = Vec::new();
        for (k, &time) in track.times.iter().enumerate().take(track.poses.len()) {
            let rises = kept.last().is_none_or(|&last| single(time) > single(track.times[last]));
            if rises {
                kept.push(k);
            }
        }
        let frames: Vec<&Vec<Pose>> = kept.iter().map(|&k| &track.poses[k]).collect();
        let moves = |body: &usize| frames.windows(2).any(|two| two[0].get(*body) != two[1].get(*body));
        let moving: Vec<usize> = (0..count).filter(moves).collect();
        if moving.is_empty() {
            return None;
        }
        let times: Vec<[f32; 1]> = kept.iter().map(|&k| [single(track.times[k])]).collect();
        let input = self.floats(&times, "SCALAR", None);
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for body in moving {
            let poses: Vec<Pose> = frames.iter().filter_map(|poses| poses.get(body).copied()).collect();
            let places: Vec<[f32; 3]> = poses.iter().map(translation).collect();
            let mut turns: Vec<[f32; 4]> = poses.iter().map(rotation).collect();
            // The two quaternions of a rotation: each the one that is nearer to the one before.
            for k in 1..turns.len() {
                let dot: f32 = (0..4).map(|n| turns[k - 1][n] * turns[k][n]).sum();
                if dot < 0.0 {
                    turns[k] = turns[k].map(|x| -x);
                }
            }
            let outputs = [
                ("translation", self.floats(&places, "VEC3", None)),
                ("rotation", self.floats(&turns, "VEC4", None)),
            ];
            for (path, output) in outputs {
                channels.push(json!({ "sampler": samplers.len(), "target": { "node": body, "path": path } }));
                samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
            }
        }
        Some(json!({ "name": track.name, "samplers": samplers, "channels": channels }))
    }
}
