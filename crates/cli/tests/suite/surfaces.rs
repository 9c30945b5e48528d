//! Short campaigns of damage from the file or connection to the answer; `examples/fuzz_surfaces` runs long ones.

use crate::target::Target;
use noli_testing::Random;

#[test]
fn damaged_files_and_messages_are_answered() {
    // Kept conversions need variables of their own, which the example sets.
    // A connection that damaged frames end gives no word of refusal, so none is required of it.
    let targets = [("database", 120, 12), ("shard", 20_000, 2_000), ("http", 150, 15), ("websocket", 60, 0)];
    for (name, executions, least) in targets {
        let (mut target, mut random) = (Target::new(name), Random::new(1));
        let mut refused = 0;
        for execution in 0..executions {
            let input = target.input(&mut random);
            match target.execute(&input) {
                Ok(is_refused) => refused += usize::from(is_refused),
                Err(why) => panic!("{name}, execution {execution}: {why}"),
            }
        }
        assert!(refused >= least, "{name}: {refused}");
    }
}
