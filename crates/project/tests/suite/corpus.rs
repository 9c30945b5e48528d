//! The corpora of the fuzzers, replayed, and a short campaign for each parser.
//!
//! Files named `seed-…` must be read; any other is there because it once broke something, and must be
//! answered, whatever the answer. `examples/fuzz` runs longer campaigns.

use crate::campaign::{Campaign, PARSERS, Parser, corpus, packed_markup, packed_model};
use noli_formats::{FileError, MeshFormat, ReadOptions, parse_feature_queries, read_bytes, read_link_bytes};
use noli_project::bcf::Bcf;
use noli_project::clash::ClashResults;
use noli_project::{parse_poses, parse_scene};

#[test]
fn corpora_are_answered() {
    for (name, parser) in PARSERS {
        let files = corpus(name);
        assert!(!files.is_empty(), "{name}");
        let campaign = Campaign::new(name, parser, 0);
        for (path, bytes) in files {
            campaign.read(&bytes);
            let is_seed = path.file_name().is_some_and(|file| file.to_string_lossy().starts_with("seed-"));
            if is_seed {
                let filled = is_filled(parser, &bytes);
                let filled = filled.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                assert!(filled, "{}", path.display());
            }
        }
    }
}

/// Returns `true` if a file that is read has content.
fn is_filled(parser: Parser, bytes: &[u8]) -> Result<bool, FileError> {
    Ok(match parser {
        Parser::Mesh(format) => {
            let file = read_bytes(bytes, format, &ReadOptions::default())?;
            file.objects.iter().any(|object| !object.mesh.is_empty())
        }
        Parser::Scene => !parse_scene(bytes)?.bodies.is_empty(),
        Parser::Poses => !parse_poses(bytes)?.is_empty(),
        Parser::Queries => {
            let kind = noli_geom::FeatureKind::EdgeEdge;
            !parse_feature_queries(bytes, kind)?.pairs.is_empty()
        }
        Parser::ThreeMf => {
            let file = read_bytes(&packed_model(bytes), MeshFormat::ThreeMf, &ReadOptions::default())?;
            file.objects.iter().any(|object| !object.mesh.is_empty())
        }
        Parser::Bcf => !Bcf::from_bytes(&packed_markup(bytes))?.topics.is_empty(),
        Parser::Robot(kind) => crate::robots::read_robot_text(kind, bytes).is_ok(),
        Parser::Dae => !read_link_bytes(bytes, "dae")?.is_empty(),
        Parser::Results => !ClashResults::from_json(bytes)?.clashes.is_empty(),
    })
}

#[test]
fn short_campaigns() {
    for (name, parser) in PARSERS {
        let mut campaign = Campaign::new(name, parser, 1);
        for _ in 0..3000 {
            let input = campaign.input();
            let answer = campaign.read(&input);
            campaign.keep(input, answer);
        }
        assert!(campaign.answers() > 10, "{name}: {} kinds of answer", campaign.answers());
    }
}
