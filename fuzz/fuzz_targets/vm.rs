//! `.vm` texts, whatever they hold, are answered, and what they mean can be bounded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noli_geom::Interval;
use noli_implicit::Field;

fuzz_target!(|text: &str| {
    if let Ok(field) = Field::parse_vm(text) {
        for side in [Interval::from(0.5), Interval::new(-1.0, 2.0), Interval::EVERYTHING] {
            let range = field.range([side; 3]);
            assert!(range.lo() <= range.hi());
        }
    }
});
