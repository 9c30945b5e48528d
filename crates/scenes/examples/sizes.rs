//! Prints how large the generated assemblies are at some levels of detail, and how long making them takes.
#![allow(clippy::print_stdout)]

use std::time::Instant;

fn main() {
    let details: Vec<u32> = std::env::args().skip(1).filter_map(|detail| detail.parse().ok()).collect();
    for listed in noli_scenes::list() {
        for &detail in &details {
            let start = Instant::now();
            let made = listed.make(detail);
            let (parts, triangles) = (made.parts.len(), made.triangle_count());
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{:16} detail {detail:3}: {parts:3} parts, {triangles:9} triangles, {seconds:.2} s",
                made.name
            );
        }
    }
}
