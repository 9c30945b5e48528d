//! Ply files, whatever they hold, are answered.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noli_formats::{MeshFormat, ReadOptions, read_bytes};

fuzz_target!(|bytes: &[u8]| {
    for weld in [false, true] {
        if let Ok(file) =
            read_bytes(bytes, MeshFormat::Ply, &ReadOptions { weld: Some(weld), ..Default::default() })
        {
            for mesh in file.objects.iter().map(|object| &object.mesh) {
                assert!(mesh.report().zero_area_triangles <= mesh.triangle_count());
            }
        }
    }
});
