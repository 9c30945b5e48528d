//! Campaigns: chunks by number, shards as bytes.

use crate::device::On;
use crate::error::{file, value};
use crate::pool::on_threads;
use noli_campaign::{Campaign, Folder};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// A plan with its models, ready to be run; see `noli.campaign`.
#[pyclass(frozen, name = "Campaign", module = "noli._noli")]
pub(crate) struct PyCampaign {
    campaign: Campaign,
    path: PathBuf,
    text: Option<String>,
}

#[pymethods]
impl PyCampaign {
    /// Creates a campaign from a file, or from a text as if it were a file at this path; `device="cuda"` as in a
    /// plan.
    #[new]
    #[pyo3(signature = (path, text = None, *, device = None))]
    fn new(py: Python<'_>, path: PathBuf, text: Option<String>, device: Option<&str>) -> PyResult<Self> {
        let device = On::new(device)?;
        let campaign = on_threads(py, None, || {
            let campaign = match &text {
                Some(text) => Campaign::from_text(text, &path),
                None => Campaign::open(&path),
            }?;
            if device == On::Gpu { campaign.on_gpu() } else { Ok(campaign) }
        })?;
        Ok(Self { campaign: campaign.map_err(file)?, path, text })
    }

    /// Name of the campaign.
    #[getter]
    fn name(&self) -> &str {
        &self.campaign.plan().name
    }

    /// Query of the campaign: "overlap", "clearance" or "impact".
    #[getter]
    fn question(&self) -> &'static str {
        self.campaign.plan().question.word()
    }

    /// Seed of the draws.
    #[getter]
    fn seed(&self) -> u64 {
        self.campaign.plan().seed
    }

    /// Number of draws.
    #[getter]
    fn count(&self) -> u64 {
        self.campaign.plan().count
    }

    /// Number of draws in a chunk.
    #[getter]
    fn chunk(&self) -> u64 {
        self.campaign.plan().chunk
    }

    /// Number of chunks.
    #[getter]
    fn chunks(&self) -> u64 {
        self.campaign.chunks()
    }

    /// Fingerprints of the plan and of the models.
    #[getter]
    fn fingerprints(&self) -> (&str, &str) {
        (self.campaign.plan_fingerprint(), self.campaign.models_fingerprint())
    }

    /// Returns one draw by its number: a pose as x, y, z, qx, qy, qz, qw, both ends of a path, or joint values.
    fn draw<'py>(&self, py: Python<'py>, index: u64) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.campaign.draw(index).numbers())
    }

    /// Returns the shard of a chunk as the bytes of a Parquet file, and its rows likewise or `None`. The bytes are
    /// the same on every machine, with any number of threads.
    #[pyo3(signature = (chunk, *, threads = None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        chunk: u64,
        threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>)> {
        let campaign = &self.campaign;
        let (shard, rows) = on_threads(py, threads, || {
            let shard = campaign.run(chunk).map_err(value)?;
            Ok::<_, PyErr>((shard.to_parquet(), shard.rows_to_parquet()))
        })??;
        Ok((PyBytes::new(py, &shard), rows.map(|rows| PyBytes::new(py, &rows))))
    }

    /// Returns the chunks that have no shard of this campaign in a folder.
    fn missing(&self, py: Python<'_>, out: PathBuf) -> Vec<u64> {
        py.detach(|| Folder::new(&self.campaign, out).missing())
    }

    /// Writes the result of `run` into a folder. A shard appears only when it is complete.
    #[pyo3(signature = (out, chunk, shard, rows = None))]
    fn keep(
        &self,
        py: Python<'_>,
        out: PathBuf,
        chunk: u64,
        shard: &[u8],
        rows: Option<&[u8]>,
    ) -> PyResult<()> {
        py.detach(|| Folder::new(&self.campaign, out).keep(chunk, shard, rows)).map_err(file)
    }

    /// Returns the merged result of the shards in a folder, as JSON. Missing or unreadable shards are an error unless
    /// `partial` is set; then `left_out` names them.
    #[pyo3(signature = (out, partial = false))]
    fn merge(&self, py: Python<'_>, out: PathBuf, partial: bool) -> PyResult<String> {
        let merged = py.detach(|| Folder::new(&self.campaign, out).merge(partial)).map_err(value)?;
        serde_json::to_string(&merged).map_err(value)
    }

    fn __repr__(&self) -> String {
        let plan = self.campaign.plan();
        format!("<noli.Campaign {:?}: {} draws in {} chunks>", plan.name, plan.count, plan.chunks())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, pyo3::types::PyType>, (PathBuf, Option<String>)) {
        let campaign = slf.get();
        (slf.py().get_type::<Self>(), (campaign.path.clone(), campaign.text.clone()))
    }
}
