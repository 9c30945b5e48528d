//! Input files, and the given truth of their queries.

use anyhow::{Context, Result, ensure};
use noli_formats::{
    FeatureQueries, feature_kind_of, read_feature_queries, read_truths, rebuild_feature_queries,
};
use noli_geom::{FeatureKind, FeaturePair, Impact};
use std::path::{Path, PathBuf};

/// Source of queries.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    File(PathBuf),
    /// A list of pairs of a scene, and the meshes at both ends of the step.
    Scene {
        boxes: PathBuf,
        frames: [PathBuf; 2],
    },
}

impl Source {
    pub(super) fn files(self) -> Vec<PathBuf> {
        match self {
            Self::File(path) => vec![path],
            Self::Scene { boxes, frames: [start, end] } => vec![boxes, start, end],
        }
    }
}

/// The queries of one file with their references.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) kind: FeatureKind,
    pub(super) path: PathBuf,
    pub(super) pairs: Vec<FeaturePair>,
    pub(super) truth: Vec<bool>,
    /// No contact is later than this; for queries that touch.
    pub(super) latest: Vec<f64>,
}

/// All sources among files and folders, in order.
pub(super) fn find(paths: &[PathBuf]) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for path in paths {
        if path.is_dir() {
            search(path, &mut sources)?;
        } else {
            sources.push(Source::File(path.clone()));
        }
    }
    ensure!(!sources.is_empty(), "no .csv file in {}: give files or folders of queries", paths[0].display());
    Ok(sources)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> =
            folder.read_dir()?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
        paths.sort();
        Ok(paths)
    };
    read().with_context(|| format!("{}: cannot be listed", folder.display()))
}

fn search(folder: &Path, sources: &mut Vec<Source>) -> Result<()> {
    let is_scene = folder.join("frames").is_dir() && folder.join("boxes").is_dir();
    if is_scene {
        let mut frames = entries(&folder.join("frames"))?;
        ensure!(frames.len() == 2, "{}: a scene has two frames, not {}", folder.display(), frames.len());
        // 99 comes before 100.
        frames.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
        let frames = [frames[0].clone(), frames[1].clone()];
        let boxes = entries(&folder.join("boxes"))?.into_iter().filter(|path| has_extension(path, "json"));
        sources.extend(boxes.map(|boxes| Source::Scene { boxes, frames: frames.clone() }));
        return Ok(());
    }
    for path in entries(folder)? {
        if path.is_dir() {
            search(&path, sources)?;
        } else if has_extension(&path, "csv") {
            sources.push(Source::File(path));
        }
    }
    Ok(())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e == extension)
}

impl Input {
    pub(super) fn read(source: &Source, kind: Option<FeatureKind>) -> Result<Self> {
        let (path, mut queries) = match source {
            Source::File(path) => (path, read_feature_queries(path, kind)?),
            Source::Scene { boxes, frames } => {
                let kind = kind.or_else(|| feature_kind_of(boxes));
                let kind = kind.with_context(|| {
                    format!("{}: vertex-face or edge-edge? say which with --kind", boxes.display())
                })?;
                let truth = beside(boxes, "mma_bool", "_mma_bool.json");
                let frames = [frames[0].as_path(), frames[1].as_path()];
                (boxes, rebuild_feature_queries(frames, boxes, truth.as_deref(), kind)?)
            }
        };
        ensure!(!queries.pairs.is_empty(), "{}: no queries in it", path.display());
        if queries.truth.is_none() {
            queries.truth = beside(path, "mma_bool", "_mma_bool.json").map(read_truths).transpose()?;
            let known = queries.truth.as_ref().map_or(queries.pairs.len(), Vec::len);
            ensure!(
                known == queries.pairs.len(),
                "{}: {known} truths for {} queries",
                path.display(),
                queries.pairs.len()
            );
        }
        Self::with_references(path, queries)
    }

    fn with_references(path: &Path, queries: FeatureQueries) -> Result<Self> {
        let exact: Vec<Impact> = queries.pairs.iter().map(FeaturePair::impact).collect();
        let mut latest: Vec<f64> = exact.iter().map(latest_contact).collect();
        if let Some(times) = beside(path, "toi", "_toi.csv") {
            read_times(&times, &mut latest)?;
        }
        let truth = queries.truth.unwrap_or_else(|| exact.iter().map(Impact::is_hit).collect());
        Ok(Self {
            name: short_name(path),
            kind: queries.pairs[0].kind,
            path: path.to_path_buf(),
            pairs: queries.pairs,
            truth,
            latest,
        })
    }
}

fn latest_contact(impact: &Impact) -> f64 {
    match impact {
        Impact::At { time, .. } => time.touching_by,
        Impact::AtStart(()) => 0.0,
        _ => 1.0,
    }
}

/// Returns the benchmark's file in a sibling folder: `queries/227vf.csv` has `toi/227vf_toi.csv`.
fn beside(path: &Path, folder: &str, ending: &str) -> Option<PathBuf> {
    let name = format!("{}{ending}", path.file_stem()?.to_string_lossy());
    Some(path.parent()?.parent()?.join(folder).join(name)).filter(|path| path.is_file())
}

/// Rows of query number, earliest time of impact and number of roots.
fn read_times(path: &Path, latest: &mut [f64]) -> Result<()> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    for (line, row) in text.lines().enumerate() {
        let mut cells = row.split(',');
        let index = cells.next().and_then(|cell| cell.trim().parse::<usize>().ok());
        let time = cells.next().and_then(|cell| cell.trim().parse::<f64>().ok());
        let entry = index.and_then(|index| latest.get_mut(index)).zip(time);
        let (entry, time) = entry.with_context(|| {
            format!("{}:{}: expected the number of a query and a time", path.display(), line + 1)
        })?;
        // The digits were rounded once.
        *entry = time.next_up();
    }
    Ok(())
}

/// Returns the end of a path: enough to distinguish files.
fn short_name(path: &Path) -> String {
    let parts: Vec<_> = path.components().rev().take(3).map(|c| c.as_os_str().to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}
