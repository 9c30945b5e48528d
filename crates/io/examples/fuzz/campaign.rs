//! Reads damaged files and keeps those that were answered in a new way, to be damaged further.

use crate::mutate::{LONGEST, Random, mutate};
use noli_io::{MeshFormat, ReadOptions, read_bytes};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Inputs kept at most; past that, new ones replace old ones.
const MOST_KEPT: usize = 1024;

/// The formats with the names of their folders.
pub const FORMATS: [(&str, MeshFormat); 6] = [
    ("obj", MeshFormat::Obj),
    ("stl", MeshFormat::Stl),
    ("off", MeshFormat::Off),
    ("ply", MeshFormat::Ply),
    ("gltf", MeshFormat::Gltf),
    ("dxf", MeshFormat::Dxf),
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
    format: MeshFormat,
    random: Random,
    kept: Vec<Vec<u8>>,
    /// In which ways files were answered, as hashes.
    answers: HashSet<u64>,
}

impl Campaign {
    pub fn new(folder: &str, format: MeshFormat, seed: u64) -> Self {
        let kept = corpus(folder).into_iter().map(|(_, bytes)| bytes).collect();
        Self { format, random: Random(seed), kept, answers: HashSet::new() }
    }

    /// How many different answers were seen.
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// The next input.
    pub fn input(&mut self) -> Vec<u8> {
        let [from, other] = [0; 2].map(|_| self.random.below(self.kept.len()));
        mutate(&mut self.random, &self.kept[from], &self.kept[other])
    }

    /// Reads an input, both ways, and examines what it holds; says in which way it was answered.
    pub fn read(&self, bytes: &[u8]) -> u64 {
        MeshFormat::from_content(bytes);
        let plain = read_bytes(bytes, self.format, &ReadOptions { weld: Some(false) });
        let welded = read_bytes(bytes, self.format, &ReadOptions { weld: Some(true) });
        assert_eq!(plain.is_ok(), welded.is_ok(), "welding changes no verdict");
        match &welded {
            Err(error) => {
                assert!(!error.reason.is_empty() && !error.remedy.is_empty());
                hash(words(&error.reason))
            }
            Ok(file) => {
                let triangles: usize = file.objects.iter().map(|object| object.mesh.triangle_count()).sum();
                let reports = file.objects.iter().map(|object| object.mesh.report());
                assert!(reports.map(|report| report.zero_area_triangles).sum::<usize>() <= triangles);
                let magnitude = |count: usize| count.min(4 + count.ilog2() as usize) as u8;
                let sizes = [file.objects.len() + 1, triangles + 1].map(magnitude);
                hash(file.warnings.iter().flat_map(|warning| words(&warning.text)).chain(sizes))
            }
        }
    }

    /// Keeps an input that was answered in a new way.
    pub fn keep(&mut self, input: Vec<u8>, answer: u64) {
        if input.len() < LONGEST && self.answers.insert(answer) {
            if self.kept.len() < MOST_KEPT {
                self.kept.push(input);
            } else {
                let replaced = self.random.below(MOST_KEPT);
                self.kept[replaced] = input;
            }
        }
    }
}

/// The letters of a message before and after what it quotes: the same for the same kind of error.
fn words(message: &str) -> impl Iterator<Item = u8> {
    let quotes = ['`', '"', '(', ')'];
    let before = message.split(quotes).next().unwrap_or_default();
    let after = message.rsplit_once(quotes).map_or("", |(_, after)| after);
    before.bytes().chain(after.bytes()).filter(u8::is_ascii_alphabetic)
}

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
