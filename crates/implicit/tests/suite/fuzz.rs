//! A short campaign of damaged texts; `examples/fuzz.rs` runs long ones.

use crate::damage::{Damage, examine};

#[test]
fn damaged_texts_are_answered() {
    for kind in ["formula", "vm"] {
        let mut damage = Damage::new(kind, 1);
        let mut read = 0;
        for _ in 0..20_000 {
            let text = damage.next_text();
            if examine(kind, &text) {
                read += 1;
                damage.keep(text);
            }
        }
        assert!(read > 1000, "{kind}: only {read} could be read");
    }
}
