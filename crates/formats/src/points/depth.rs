//! Depth images: a camera file (JSON) names the image, the intrinsics of the camera and its pose.
//!
//! The camera looks along z, x is to the right and y down. The value of a pixel times the scale is its depth
//! along z; 0 means no measurement.

use super::{PointFile, png};
use crate::error::{FileError, Place};
use crate::file_bytes::{bytes_of, refuse_stream, without_byte_order_mark};
use glam::{DQuat, DVec3};
use noli_geom::Pose;
use std::path::Path;

/// A camera with its image. Unknown keys are refused, so that a misspelt one is not taken for its default.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Camera {
    depth: String,
    fx: f64,
    fy: f64,
    cx: f64,
    cy: f64,
    /// Length of the value 1.
    depth_scale: f64,
    /// Depths beyond are dropped.
    #[serde(default)]
    max_depth: Option<f64>,
    #[serde(default)]
    pose: Option<CameraPose>,
}

/// Pose of the camera in the frame of the points.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CameraPose {
    translation: [f64; 3],
    /// Quaternion x, y, z, w.
    #[serde(default = "no_rotation")]
    rotation: [f64; 4],
}

fn no_rotation() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

/// Returns `true` if JSON text has the keys of a camera file.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let has = |key: &[u8]| bytes.windows(key.len()).any(|window| window == key);
    has(b"\"fx\"") && has(b"\"depth\"")
}

pub(super) fn parse(bytes: &[u8], folder: Option<&Path>) -> Result<PointFile, FileError> {
    let wrong = |reason: String, remedy: &str| FileError::new(Place::Whole, reason, remedy);
    let camera: Camera = serde_json::from_slice(without_byte_order_mark(bytes)).map_err(|error| {
        let remedy = "give depth, fx, fy, cx, cy, depth_scale, and pose if the camera has one";
        FileError::new(Place::Line(error.line().max(1)), format!("not a camera file: {error}"), remedy)
    })?;
    let Camera { fx, fy, cx, cy, depth_scale, .. } = camera;
    for (name, value) in [("fx", fx), ("fy", fy), ("depth_scale", depth_scale)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(wrong(format!("{name} is {value}"), "give a positive number"));
        }
    }
    for (name, value) in [("cx", cx), ("cy", cy)] {
        if !value.is_finite() {
            return Err(wrong(format!("{name} is {value}"), "give a finite number"));
        }
    }
    let pose = camera.pose.as_ref().map_or(Pose::IDENTITY, |pose| {
        Pose::new(DQuat::from_array(pose.rotation), DVec3::from_array(pose.translation))
    });
    if !pose.is_valid() {
        let remedy = "give a finite translation and a quaternion x, y, z, w other than zero";
        return Err(wrong("invalid pose of the camera".to_owned(), remedy));
    }
    let Some(folder) = folder else {
        let reason = "the depth image is another file";
        return Err(wrong(reason.to_owned(), "read the camera file from its folder"));
    };
    let path = folder.join(&camera.depth);
    refuse_stream(&path)?;
    let image = bytes_of(&path).and_then(|bytes| png::parse(&bytes)).map_err(|error| error.in_file(&path))?;
    points(&camera, &image, &pose)
}

fn points(camera: &Camera, image: &png::Grey, pose: &Pose) -> Result<PointFile, FileError> {
    let mut file = PointFile { viewpoint: Some(*pose), ..PointFile::default() };
    let inside = |at: f64, size: usize| (-0.5..=size as f64 - 0.5).contains(&at);
    if !inside(camera.cx, image.width) || !inside(camera.cy, image.height) {
        let text = format!(
            "the principal point ({}, {}) lies outside of the image of {} x {} pixels",
            camera.cx, camera.cy, image.width, image.height
        );
        file.warn(Place::Whole, text);
    }
    let most = camera.max_depth.unwrap_or(f64::INFINITY);
    file.points.reserve(image.pixels.len());
    for (row, line) in image.pixels.chunks_exact(image.width).enumerate() {
        for (column, &pixel) in line.iter().enumerate() {
            let z = f64::from(pixel) * camera.depth_scale;
            if pixel == 0 || z > most {
                file.dropped = file.dropped.saturating_add(1);
                continue;
            }
            let x = (column as f64 - camera.cx) * z / camera.fx;
            let y = (row as f64 - camera.cy) * z / camera.fy;
            file.push(pose.transform_point(DVec3::new(x, y, z)).to_array(), Place::Whole)?;
        }
    }
    Ok(file)
}
