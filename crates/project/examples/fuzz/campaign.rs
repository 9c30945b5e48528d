//! Reads damaged files and keeps those that were answered in a new way, to be damaged further.

use crate::answer::{hash, magnitude, words};
use crate::mutate::{LONGEST, MESH_WORDS, ROBOT_WORDS, SCENE_WORDS, XML_WORDS, mutate};
use crate::robots::{RobotText, read_robot_text};
use noli_formats::{MeshFile, MeshFormat, ReadOptions, parse_feature_queries, read_bytes, read_link_bytes};
use noli_geom::{FeatureKind, Impact};
use noli_project::bcf::Bcf;
use noli_project::clash::ClashResults;
use noli_project::{parse_poses, parse_scene};
use noli_testing::Random;
use std::collections::HashSet;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Inputs kept at most; past that, new ones replace old ones.
const MOST_KEPT: usize = 1024;

/// A parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parser {
    Mesh(MeshFormat),
    /// The text of a scene; files that it names are not opened.
    Scene,
    /// A list of poses.
    Poses,
    /// Feature queries, which are also answered.
    Queries,
    /// The model of a 3MF file, packed before it is read: damaged archives rarely get past their sums.
    ThreeMf,
    /// The markup of a BCF topic, packed likewise.
    Bcf,
    /// A results file of clashes.
    Results,
    /// A text about robots; programs are also run.
    Robot(RobotText),
    /// A mesh of a robot's link in COLLADA.
    Dae,
}

/// The parsers with the names of their folders.
pub const PARSERS: [(&str, Parser); 21] = [
    ("obj", Parser::Mesh(MeshFormat::Obj)),
    ("stl", Parser::Mesh(MeshFormat::Stl)),
    ("off", Parser::Mesh(MeshFormat::Off)),
    ("ply", Parser::Mesh(MeshFormat::Ply)),
    ("gltf", Parser::Mesh(MeshFormat::Gltf)),
    ("dxf", Parser::Mesh(MeshFormat::Dxf)),
    ("scene", Parser::Scene),
    ("poses", Parser::Poses),
    ("queries", Parser::Queries),
    ("3mf", Parser::ThreeMf),
    ("bcf", Parser::Bcf),
    ("results", Parser::Results),
    ("cell", Parser::Robot(RobotText::Cell)),
    ("dh", Parser::Robot(RobotText::Dh)),
    ("planning", Parser::Robot(RobotText::Planning)),
    ("robot", Parser::Robot(RobotText::Answer)),
    ("srdf", Parser::Robot(RobotText::Srdf)),
    ("trajectory", Parser::Robot(RobotText::Trajectory)),
    ("urdf", Parser::Robot(RobotText::Urdf)),
    ("val", Parser::Robot(RobotText::Program)),
    ("dae", Parser::Dae),
];

/// The files that a campaign starts from, in the order of their names.
pub fn corpus(format: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(format);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the folder can be listed").path()).collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).expect("a corpus file can be read")))
        .collect()
}

/// Damaged files without end, the same for the same seed.
pub struct Campaign {
    parser: Parser,
    random: Random,
    kept: Vec<Vec<u8>>,
    /// In which ways files were answered, as hashes.
    answers: HashSet<u64>,
}

impl Campaign {
    pub fn new(folder: &str, parser: Parser, seed: u64) -> Self {
        let kept = corpus(folder).into_iter().map(|(_, bytes)| bytes).collect();
        Self { parser, random: Random::new(seed), kept, answers: HashSet::new() }
    }

    /// Returns the number of different answers.
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// The next input.
    pub fn input(&mut self) -> Vec<u8> {
        let [from, other] = [0; 2].map(|_| self.random.index(self.kept.len()));
        let words = match self.parser {
            Parser::Mesh(_) => MESH_WORDS,
            Parser::Robot(_) => ROBOT_WORDS,
            Parser::ThreeMf | Parser::Bcf | Parser::Dae => XML_WORDS,
            _ => SCENE_WORDS,
        };
        mutate(&mut self.random, words, &self.kept[from], &self.kept[other])
    }

    /// Reads an input and examines what it holds; says in which way it was answered.
    pub fn read(&self, bytes: &[u8]) -> u64 {
        match self.parser {
            Parser::Mesh(format) => read_mesh(bytes, format),
            Parser::Scene => read_scene(bytes),
            Parser::Poses => match parse_poses(bytes) {
                Err(error) => refusal(&error),
                Ok(keys) => {
                    assert!(keys.iter().all(|key| key.pose.is_valid()));
                    hash([keys.len().min(16) as u8].into_iter())
                }
            },
            Parser::Queries => read_queries(bytes),
            // Once: packing and unpacking take longer than welding, which the other formats see to.
            Parser::ThreeMf => {
                let options = ReadOptions { weld: Some(true), ..Default::default() };
                told(&read_bytes(&packed_model(bytes), MeshFormat::ThreeMf, &options))
            }
            Parser::Dae => match read_link_bytes(bytes, "dae") {
                Err(error) => refusal(&error),
                Ok(mesh) => hash([magnitude(mesh.triangle_count())].into_iter()),
            },
            Parser::Bcf => match Bcf::from_bytes(&packed_markup(bytes)) {
                Err(error) => refusal(&error),
                Ok(bcf) => {
                    // Whatever was read can be written, or is refused.
                    let again = bcf.to_bytes().map(|bytes| Bcf::from_bytes(&bytes).is_ok());
                    let topics = bcf.topics.iter().map(|topic| magnitude(topic.comments.len()));
                    hash(topics.chain([u8::from(again.unwrap_or(false))]))
                }
            },
            Parser::Robot(kind) => read_robot_text(kind, bytes).unwrap_or_else(|refused| refused),
            Parser::Results => match ClashResults::from_json(bytes) {
                Err(error) => refusal(&error),
                Ok(results) => {
                    let again = ClashResults::from_json(results.to_json().as_bytes());
                    assert_eq!(again.as_ref(), Ok(&results));
                    hash([results.bodies.len(), results.clashes.len()].map(magnitude).into_iter())
                }
            },
        }
    }

    /// Keeps an input that was answered in a new way.
    pub fn keep(&mut self, input: Vec<u8>, answer: u64) {
        if input.len() < LONGEST && self.answers.insert(answer) {
            if self.kept.len() < MOST_KEPT {
                self.kept.push(input);
            } else {
                let replaced = self.random.index(MOST_KEPT);
                self.kept[replaced] = input;
            }
        }
    }
}

/// A 3MF file with this model.
pub fn packed_model(model: &[u8]) -> Vec<u8> {
    packed(&[("3D/3dmodel.model", model)])
}

/// A BCF file with one topic.
pub fn packed_markup(markup: &[u8]) -> Vec<u8> {
    packed(&[("bcf.version", b"<Version VersionId=\"2.1\"/>"), ("topic/markup.bcf", markup)])
}

fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in files {
        zip.start_file(*name, options).expect("a file is begun in memory");
        zip.write_all(bytes).expect("memory is written");
    }
    zip.finish().expect("an archive is finished in memory").into_inner()
}

/// Queries that are read are answered: what inclusion calls free is free.
fn read_queries(bytes: &[u8]) -> u64 {
    let mut answers = Vec::new();
    for kind in [FeatureKind::VertexFace, FeatureKind::EdgeEdge] {
        match parse_feature_queries(bytes, kind) {
            Err(error) => return refusal(&error),
            Ok(queries) => answers.extend(queries.pairs.iter().map(|pair| {
                let (exact, guarded) = (pair.impact(), pair.impact_by_inclusion(&Default::default()));
                assert!(
                    !matches!(exact, Impact::Unknown { .. })
                        && guarded.safe_until() <= exact.safe_until() + 1e-8
                );
                assert!(!exact.is_hit() || guarded != Impact::Free);
                u8::from(exact.is_hit())
            })),
        }
    }
    hash(answers.into_iter())
}

fn refusal(error: &noli_formats::FileError) -> u64 {
    assert!(!error.reason.is_empty() && !error.remedy.is_empty());
    hash(words(&error.reason))
}

/// Both ways: plain and welded.
fn read_mesh(bytes: &[u8], format: MeshFormat) -> u64 {
    MeshFormat::from_content(bytes);
    let plain = read_bytes(bytes, format, &ReadOptions { weld: Some(false), ..Default::default() });
    let welded = read_bytes(bytes, format, &ReadOptions { weld: Some(true), ..Default::default() });
    assert_eq!(plain.is_ok(), welded.is_ok(), "welding changes no verdict");
    told(&welded)
}

/// In which way a mesh file was answered.
fn told(read: &Result<MeshFile, noli_formats::FileError>) -> u64 {
    match read {
        Err(error) => refusal(error),
        Ok(file) => {
            let triangles: usize = file.objects.iter().map(|object| object.mesh.triangle_count()).sum();
            let reports = file.objects.iter().map(|object| object.mesh.report());
            assert!(reports.map(|report| report.zero_area_triangles).sum::<usize>() <= triangles);
            let sizes = [file.objects.len(), triangles].map(magnitude);
            hash(file.warnings.iter().flat_map(|warning| words(&warning.text)).chain(sizes))
        }
    }
}

/// Asserts that rules do not depend on the order of a pair, and that the count of pairs agrees.
fn check_rules(scene: &noli_project::Scene) {
    let (sphere, mut world) =
        (noli::Model::from(noli::Convex::sphere(1.0).expect("a sphere")), noli::World::default());
    let add = |body: &noli_project::Body| {
        world.add(body.name.clone(), &sphere, noli::Pose::IDENTITY).expect("a pose")
    };
    let ids: Vec<noli::world::BodyId> = scene.bodies.iter().take(50).map(add).collect();
    *world.rules_mut() = scene.check.rules();
    let mut asked = 0;
    for (number, &a) in ids.iter().enumerate() {
        for &b in &ids[..number] {
            let margin = world.margin_between(a, b).expect("bodies of the world");
            assert_eq!(margin, world.margin_between(b, a).expect("bodies of the world"));
            assert!(margin.is_none_or(|margin| margin >= 0.0));
            asked += usize::from(margin.is_some());
        }
    }
    assert_eq!(asked, world.pair_count());
}

/// A scene that is read holds together: every number in it leads somewhere, and parents end.
fn read_scene(bytes: &[u8]) -> u64 {
    let scene = match parse_scene(bytes) {
        Err(error) => return refusal(&error),
        Ok(scene) => scene,
    };
    for (number, body) in scene.bodies.iter().enumerate() {
        assert_eq!(scene.body(&body.name), Some(number), "names are unique");
        let _ = scene.world_pose(number);
    }
    check_rules(&scene);
    assert!(scene.groups.iter().flat_map(|group| &group.bodies).all(|&body| body < scene.bodies.len()));
    let kinds = scene.bodies.iter().map(|body| match body.shape {
        noli_project::Shape::File { .. } => 1,
        noli_project::Shape::Generated { .. } => 2,
        _ => 3,
    });
    let counts = [scene.bodies.len(), scene.groups.len(), scene.motions.len(), scene.check.skip.len()];
    hash(kinds.chain(counts.map(magnitude)))
}
