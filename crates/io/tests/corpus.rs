//! The corpora of the fuzzers, replayed, and a short campaign for each parser.
//!
//! Files named `seed-…` must be read; any other is there because it once broke something, and must be
//! answered, whatever the answer. `examples/fuzz` runs longer campaigns.
#![allow(missing_docs, unreachable_pub, reason = "modules of the example are included")]

#[path = "../examples/fuzz/campaign.rs"]
mod campaign;
#[path = "../examples/fuzz/mutate.rs"]
mod mutate;

use campaign::{Campaign, FORMATS, corpus};
use noli_io::{ReadOptions, read_bytes};

#[test]
fn corpora_are_answered() {
    for (name, format) in FORMATS {
        let files = corpus(name);
        assert!(!files.is_empty(), "{name}");
        let campaign = Campaign::new(name, format, 0);
        for (path, bytes) in files {
            campaign.read(&bytes);
            let is_seed = path.file_name().is_some_and(|file| file.to_string_lossy().starts_with("seed-"));
            if is_seed {
                let file = read_bytes(&bytes, format, &ReadOptions::default());
                let file = file.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                assert!(file.objects.iter().any(|object| !object.mesh.is_empty()), "{}", path.display());
            }
        }
    }
}

#[test]
fn short_campaigns() {
    for (name, format) in FORMATS {
        let mut campaign = Campaign::new(name, format, 1);
        for _ in 0..3000 {
            let input = campaign.input();
            let answer = campaign.read(&input);
            campaign.keep(input, answer);
        }
        assert!(campaign.answers() > 10, "{name}: {} kinds of answer", campaign.answers());
    }
}
