//! Times to write, read and examine five million triangles, in each format.
//!
//! `cargo bench -p noli-formats`; an argument gives the number of triangles. Best of three.
#![allow(clippy::print_stdout)]

use glam::dvec3;
use noli_formats::{MeshFormat, NamedMesh, ReadOptions, read_bytes, write_bytes};
use noli_geom::{Mesh, MeshOptions};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let asked = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    // Without `--bench` this runs as a test of `cargo test --all-targets`.
    let usual = if std::env::args().any(|argument| argument == "--bench") { 5_000_000 } else { 10_000 };
    let mesh = hills(asked.unwrap_or(usual));
    println!("{} triangles, {} vertices", mesh.triangle_count(), mesh.vertices().len());
    println!("adjacency {:>8.1?}", best(|| mesh.adjacency()));
    println!("report    {:>8.1?}", best(|| mesh.report()));
    let objects = [NamedMesh { name: "hills".into(), mesh }];
    for format in [MeshFormat::Obj, MeshFormat::Stl, MeshFormat::Off, MeshFormat::Ply] {
        let bytes = write_bytes(format, &objects).expect("the hills fit every format");
        let write = best(|| write_bytes(format, &objects));
        let read = best(|| {
            let file = read_bytes(&bytes, format, &ReadOptions::default()).expect("we wrote it");
            assert_eq!(file.objects[0].mesh.triangle_count(), objects[0].mesh.triangle_count());
        });
        let megabytes = bytes.len() / 1_000_000;
        println!("{:<4} {megabytes:>4} MB  write {write:>8.1?}  read {read:>8.1?}", format.name());
    }
}

/// A height field on a square grid.
fn hills(triangles: usize) -> Mesh {
    let side = (triangles as f64 / 2.0).sqrt() as u32 + 1;
    let grid = || (0..side).flat_map(move |i| (0..side).map(move |j| (i, j)));
    let height = |x: f64, y: f64| (1.3 * x).sin() * (0.7 * y).cos();
    let vertices = grid().map(|(i, j)| (0.01 * f64::from(i), 0.01 * f64::from(j)));
    let vertices = vertices.map(|(x, y)| dvec3(x, y, height(x, y))).collect();
    let cells = grid().filter(|&(i, j)| i + 1 < side && j + 1 < side).map(|(i, j)| i * side + j);
    let faces = cells.flat_map(|a| [[a, a + side, a + 1], [a + 1, a + side, a + side + 1]]).collect();
    Mesh::from_triangles(vertices, faces, &MeshOptions::default()).expect("the grid is valid")
}

fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..3).map(time).min().unwrap_or_default()
}
