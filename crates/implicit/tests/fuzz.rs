//! A short campaign of damaged texts; `examples/fuzz.rs` runs long ones.

#![allow(dead_code, reason = "the support module serves several programs")]

#[path = "support/damage.rs"]
mod damage;
mod support;

use damage::{Damage, examine};

#[test]
fn damaged_texts_are_answered() {
    for kind in ["formula", "vm"] {
        let mut damage = Damage::new(kind, 1);
        let read = (0..20_000).filter(|_| examine(kind, &damage.next_text())).count();
        assert!(read > 100, "{kind}: only {read} could be read");
    }
}
