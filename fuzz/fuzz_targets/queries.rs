//! Files of feature queries, whatever they hold, are read or refused, and what is read is answered.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noli_formats::parse_feature_queries;
use noli_geom::{FeatureKind, Impact};

fuzz_target!(|bytes: &[u8]| {
    for kind in [FeatureKind::VertexFace, FeatureKind::EdgeEdge] {
        for pair in parse_feature_queries(bytes, kind).into_iter().flat_map(|queries| queries.pairs) {
            let (exact, guarded) = (pair.impact(), pair.impact_by_inclusion(&Default::default()));
            assert!(!exact.is_hit() || guarded != Impact::Free);
        }
    }
});
