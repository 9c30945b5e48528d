//! Scenes, whatever they hold, are answered.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noli_project::parse_scene;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(scene) = parse_scene(bytes) {
        for body in 0..scene.bodies.len() {
            let _ = scene.world_pose(body);
        }
    }
});
