//! Robots with their SRDF and configurations, whatever they hold, are checked or refused.
#![no_main]

#[path = "../../crates/project/examples/fuzz/answer.rs"]
mod answer;
#[path = "../../crates/project/examples/fuzz/robots.rs"]
mod robots;

use libfuzzer_sys::fuzz_target;
use robots::{RobotText, read_robot_text};

fuzz_target!(|bytes: &[u8]| {
    let _ = read_robot_text(RobotText::Answer, bytes);
});
