//! Lists of poses, whatever they hold, are answered.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noli_project::parse_poses;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(keys) = parse_poses(bytes) {
        assert!(keys.iter().all(|key| key.pose.is_valid()));
    }
});
