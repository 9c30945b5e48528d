//! Messages to the studio, one to a line: whatever they say, the session answers and goes on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noli_serve::protocol::Command;
use noli_serve::session::Session;
use noli_serve::{Opening, Project};

fuzz_target!(|bytes: &[u8]| {
    let commands: Vec<Command> = bytes
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .take(20)
        .collect();
    if commands.is_empty() {
        return;
    }
    // Bundled: there is no folder, so nothing is read or written.
    let project = Project::open(&Opening::Bundled("knob-through-plate".into(), 1)).expect("it is bundled");
    let (mut session, _) = Session::new(project).expect("it opens");
    for command in commands {
        let answer = session.handle(1, command);
        assert!(answer.events.iter().all(|(_, event)| serde_json::to_string(event).is_ok()));
    }
});
