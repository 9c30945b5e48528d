//! URDF texts, whatever they hold, are answered.
#![no_main]

#[path = "../../crates/project/examples/fuzz/answer.rs"]
mod answer;
#[path = "../../crates/project/examples/fuzz/robots.rs"]
mod robots;

use libfuzzer_sys::fuzz_target;
use robots::{RobotText, read_robot_text};

fuzz_target!(|bytes: &[u8]| {
    let _ = read_robot_text(RobotText::Urdf, bytes);
});
